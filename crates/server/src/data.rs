//! The data folder: made if it is not there, and held by one server at a time.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// A data folder that is ours until this is dropped.
#[derive(Debug)]
pub(crate) struct DataFolder {
    path: PathBuf,
    /// The lock ends with the process, however it ends.
    _lock: File,
}

/// The file in it that is locked.
pub(crate) const LOCK: &str = "lock";

/// Why a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// It cannot be written to.
    #[error(
        "cannot write to the data folder {} (--data): {source}; make it writable for this user, or name another with --data DIR",
        .path.display()
    )]
    Unwritable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another server has it.
    #[error(
        "another server uses the data folder {} (--data): stop it, or name another with --data DIR",
        .path.display()
    )]
    Taken {
        /// Which.
        path: PathBuf,
    },
}

impl DataFolder {
    /// Takes the folder.
    pub(crate) fn take(path: &Path) -> Result<Self, DataError> {
        let unwritable = |source| DataError::Unwritable { path: path.to_owned(), source };
        fs::create_dir_all(path).map_err(unwritable)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let lock = options.open(path.join(LOCK)).map_err(unwritable)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(DataError::Taken { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => Err(unwritable(error)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
