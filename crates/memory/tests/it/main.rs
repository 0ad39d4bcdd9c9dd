//! The integration tests of this crate. They share one binary, because linking takes longer than running.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test: to panic is how it fails"
)]

mod bound;
mod cells;
mod common;
mod contract;
mod flood;
mod golden;
mod hash_flood;
mod held_up;
mod loom;
mod model;
mod overflow;
mod save;
mod saved_files;
mod sharing;
mod sketched;
mod threads;
