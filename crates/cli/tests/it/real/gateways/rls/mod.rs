//! Envoy's rate limit service, asked by a client from its project's published stubs.
// Proves: S2

mod answers;
mod client;
mod migration;
mod question;
mod refusals;
