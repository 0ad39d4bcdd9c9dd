//! What goes on record although it is no write to the catalog: who was turned away, and which counters were reset.
//!
//! Nobody waits for it. What comes in is merged with what is like it, and written once a second; refusals of callers that
//! proved nothing are merged for an hour.

mod book;
mod strangers;

pub(crate) use book::{Counters, Record};
pub(crate) use strangers::Tried;
