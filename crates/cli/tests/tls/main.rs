//! Black-box stories over TLS: a real server, real certificates, real clients.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "to panic is to fail the test"
)]

#[path = "../common/mod.rs"]
mod common;

mod clients;
mod doctor;
mod hanging;
mod house;
mod listeners;
mod rotation;
mod settings;
mod trouble;
