//! Black-box stories: several servers that share their counters through a real Redis.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "to panic is to fail the test"
)]

#[path = "../common/mod.rs"]
mod common;

mod away;
mod crowd;
mod doctor;
mod identity;
mod keys;
mod leases;
mod range;
mod rig;
mod setting;
mod sharing;
mod stopped;
