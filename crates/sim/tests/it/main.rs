//! The integration tests of this crate. They share one binary, because linking takes longer than running.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test: to panic is how it fails"
)]

mod algorithms;
mod answers;
mod clocks;
mod foreign_states;
mod full_range;
mod golden;
mod laws;
mod limit_changes;
mod lone_client;
mod matching;
mod narrow;
mod shuffled;
