//! The client against servers that fail in every way, on virtual time: a second of waiting costs nothing, and a
//! deadline is kept to the millisecond.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "to panic is to fail the test"
)]

mod batches;
mod breaking;
mod connecting;
mod deadlines;
mod fake;
mod hammering;
mod twice;

pub(crate) use fake::{Behaviour, Fake, client, clients};
