//! SQLite: one file, several processes, one writer.

mod error;
mod file;
#[cfg(test)]
mod full_disk;
mod hints;
mod pool;

pub(crate) use error::error;
pub(crate) use hints::Hints;
pub(crate) use pool::Pool;

pub(crate) const BEGIN_READ: &str = "BEGIN";
/// The lock is taken at once: a reader that wants to write later would have to be turned away.
pub(crate) const BEGIN_WRITE: &str = "BEGIN IMMEDIATE";
/// Microseconds; the clock of SQLite has milliseconds.
pub(crate) const NOW: &str = "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000";
pub(crate) const HAS_SCHEMA: &str =
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'";
