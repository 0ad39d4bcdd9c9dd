//! The integration tests of this crate. They share one binary, because linking takes longer than running.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test: to panic is how it fails"
)]

mod check_answers;
mod check_bodies;
mod http1_refusals;
mod http1_requests;
mod proxy;
mod resp;
