//! Leases over a real Redis: what nodes spend from memory is never more than the law allows.
#![allow(clippy::print_stdout, reason = "how well limits are used is shown, not asserted")]

mod alone;
mod fleet;
mod late_redis;
mod ledger;
mod own_units;
mod party;
mod together;
mod verified;
mod world;
