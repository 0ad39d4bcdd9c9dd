//! Counters that outlive a restart: those of periods of an hour and longer.
//!
//! A file of 64-bit little-endian words: magic, version, the four hashing secrets, the
//! time of day, the counters, and a checksum over all before it. The secrets make the file as sensitive
//! as the process's memory: keep it readable by its owner only.

mod counters;
mod error;
mod file;
mod record;
mod sketches;

pub use self::{counters::SAVED_PERIOD_MIN, error::LoadError};
pub(crate) use self::{
    file::{Contents, Header, Reader, Writer},
    sketches::{read_entries, write_entries},
};
