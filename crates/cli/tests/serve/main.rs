//! Black-box stories: a real server, real sockets, real clients.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "to panic is to fail the test"
)]

#[path = "../common/mod.rs"]
mod common;

mod asking;
mod callers;
mod crowd;
mod first_steps;
mod identity;
mod lifetime;
mod metrics;
mod penalty;
mod proxied;
mod resp_clients;
mod restart;
mod roles;
mod schemathesis;
mod secrets;
