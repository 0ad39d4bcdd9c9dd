//! The client against real servers, near and far, well and not.

mod faults;
mod house;
mod sameness;
mod sealed;
mod twice;
mod worker;

#[allow(dead_code, reason = "its `main` is for people")]
#[path = "../../../../client/examples/worker.rs"]
mod worker_example;
