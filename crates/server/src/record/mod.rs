//! What goes on record although it is no write to the catalog: who was turned away, and which counters were reset.
//!
//! Nobody waits for it. What comes in is merged with what is like it, and written once a second.

mod book;
mod counters;
mod refusals;
mod writer;

pub(crate) use book::Record;
pub(crate) use counters::Counters;
pub(crate) use refusals::Tried;
