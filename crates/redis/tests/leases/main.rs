//! Leases over a real Redis: what nodes spend from memory is never more than the law allows.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test: to panic is how it fails"
)]
#![allow(
    clippy::print_stdout,
    reason = "how well limits are used is shown, not asserted"
)]

mod alone;
mod fleet;
mod ledger;
mod party;
mod together;
mod verified;
mod world;
