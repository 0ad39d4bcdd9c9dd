//! The client against real servers, near and far, well and not.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "to panic is to fail the test"
)]

#[path = "../common/mod.rs"]
mod common;

mod faults;
mod house;
mod sameness;
mod sealed;
mod twice;
mod worker;

#[allow(dead_code, reason = "its `main` is for people")]
#[path = "../../../client/examples/worker.rs"]
mod worker_example;
