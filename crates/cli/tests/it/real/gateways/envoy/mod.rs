//! Behind a real Envoy.
// Proves: S2

mod answers;
mod bootstrap;
mod descriptors;
mod house;
mod outages;
mod printed;
mod tls;
mod tricks;
