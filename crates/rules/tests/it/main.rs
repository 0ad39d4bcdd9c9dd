//! The integration tests of this crate. They share one binary, because linking takes longer than running.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test: to panic is how it fails"
)]

mod bypass;
mod diff;
mod evaluation;
mod explain;
mod fixtures;
mod format;
mod path_model;
mod random;
mod redis;
mod renames;
mod reports;
mod review;
mod round_trip;
mod schema;
mod sloppy;
