//! Leases over a real Redis: what nodes spend from memory is never more than the law allows.
#![allow(clippy::unwrap_used, reason = "a test: to panic is how it fails")]

mod alone;
mod fleet;
mod verified;
