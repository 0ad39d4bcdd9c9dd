//! The client against servers that fail in every way, on virtual time: a second of waiting costs nothing, and a
//! deadline is kept to the millisecond.

mod batches;
mod breaking;
mod connecting;
mod deadlines;
mod fake;
mod hammering;
mod twice;

pub(crate) use fake::{Behaviour, Fake, client, clients};
