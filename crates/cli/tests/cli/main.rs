//! The program as a black box: every command, what it prints and how it ends.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "to panic is to fail the test"
)]

#[path = "../common/mod.rs"]
mod common;

mod conflict;
mod files;
mod killed;
mod overrides;
mod people;
mod revisions;
mod settings;
mod shapes;
mod usage;
