//! Why saved counters cannot be read.

use std::io;

/// Why saved counters cannot be read. None of the file is used then: start with an empty store, or
/// restore the file from a copy.
///
/// ```
/// use tollgate_core::SystemClock;
/// use tollgate_memory::MemoryStore;
///
/// let error = MemoryStore::load(&b"some other file"[..], 1_000, SystemClock).unwrap_err();
/// assert_eq!(error.to_string(), "these are not saved counters: the file begins with other bytes");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error("saved counters cannot be read")]
    Io(#[from] io::Error),
    /// Some other file.
    #[error("these are not saved counters: the file begins with other bytes")]
    NotOurs,
    /// Written by another release.
    #[error("saved counters are of version {found}, this release reads version {ours}")]
    Version {
        /// The file's version.
        found: u64,
        /// The version this release reads.
        ours: u64,
    },
    /// Damaged or cut short.
    #[error("saved counters are damaged: {0}")]
    Damaged(&'static str),
}
