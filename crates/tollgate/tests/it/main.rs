//! The integration tests of this crate. They share one binary, because linking takes longer than running.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test: to panic is how it fails"
)]

mod all_or_none;
mod asynchronous;
mod gate;
mod gate_waits;
mod live_limits;
mod manual;
mod own_parts;
mod several_requests;
mod sharing;
mod together;
