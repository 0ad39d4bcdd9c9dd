//! Counters that outlive the process, and the journal of what it has spent in Redis: read at the start, written every ten
//! seconds and at the end.

mod file;
mod journal;
mod keeper;

pub(crate) use file::Room;
pub(crate) use keeper::{Keeper, SAVE_EVERY};
