//! The file of the counters.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufReader, BufWriter, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use tollgate_memory::{LoadError, MemoryStore};

use crate::engine::Time;

/// The file of the counters in the data folder. It is replaced whole, so it is never half written.
#[derive(Clone, Debug)]
pub(crate) struct CountersFile {
    path: PathBuf,
}

/// What was there at the start.
#[derive(Debug)]
pub(crate) enum Found {
    /// Nothing: a first start.
    Nothing,
    /// The counters of an earlier run.
    Counters,
    /// Something that cannot be used; it was put aside.
    Unreadable {
        /// Why.
        error: LoadError,
        /// Where it is now.
        aside: PathBuf,
    },
}

/// Holds secrets of the hashing, so nobody else may read it.
const OWNER_ONLY: u32 = 0o600;

impl CountersFile {
    pub(crate) fn new(data: &Path) -> Self {
        Self {
            path: data.join("counters.bin"),
        }
    }

    /// The store to go on with: with what was saved, or empty.
    pub(crate) fn load(&self, keys: usize, time: &Time) -> io::Result<(MemoryStore<Time>, Found)> {
        let empty = || MemoryStore::with_capacity(keys, time.clone());
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok((empty(), Found::Nothing));
            }
            Err(error) => return Err(error),
        };
        match MemoryStore::load(BufReader::new(file), keys, time.clone()) {
            Ok(store) => Ok((store, Found::Counters)),
            Err(error) => {
                let aside = self.path.with_extension("unreadable");
                fs::rename(&self.path, &aside)?;
                Ok((empty(), Found::Unreadable { error, aside }))
            }
        }
    }

    /// Puts what the store holds in the place of what is there; says how many counters that are.
    pub(crate) fn save(&self, store: &MemoryStore<Time>) -> io::Result<usize> {
        let fresh = self.path.with_extension("new");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        let file = options.mode(OWNER_ONLY).open(&fresh)?;
        let mut out = BufWriter::new(file);
        let count = store.save(&mut out)?;
        out.flush()?;
        out.get_ref().sync_all()?;
        fs::rename(&fresh, &self.path)?;
        Ok(count)
    }
}
