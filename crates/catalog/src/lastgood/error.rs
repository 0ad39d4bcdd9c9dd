//! Why a copy cannot be used.

use std::{io, path::PathBuf};

/// Why a last good copy cannot be written or read. A damaged one is moved aside and never used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LastGoodError {
    /// The file cannot be written or read.
    #[error("the last good copy {path:?}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is damaged, cut short, or of a newer release.
    #[error("the last good copy {path:?} cannot be used, it was moved to {moved:?}: {why}")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Where it is now.
        moved: PathBuf,
        /// Why.
        why: String,
    },
}
