//! Black-box stories: a real gateway asks a real server, by the snippet that the program prints.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "to panic is to fail the test"
)]

#[path = "../common/mod.rs"]
mod common;

mod caddy;
mod envoy;
mod haproxy;
mod house;
mod nginx;
mod rls;
mod snippets;
mod stories;
