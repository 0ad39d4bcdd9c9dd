//! Counters that outlive the process: read at the start, written every ten seconds and at the end.

mod file;
mod keeper;

pub(crate) use file::Room;
pub(crate) use keeper::{Keeper, SAVE_EVERY};
