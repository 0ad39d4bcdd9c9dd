//! The files of the counters.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufReader, BufWriter, Read, Write},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use tollgate_memory::{CellStore, LoadError, MemoryStore};

use crate::engine::Time;

/// A file of counters in the data folder. It is replaced whole, so it is never half written.
#[derive(Clone, Debug)]
pub(crate) struct CountersFile {
    path: PathBuf,
}

/// How much the counters may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) keys: usize,
    /// For those that find no room among the keys.
    pub(crate) overflow_bytes: usize,
}

/// Counters that can be kept in a file.
pub(crate) trait Kept: Sized {
    /// What the file is called.
    const NAME: &'static str;

    /// Without any.
    fn empty(room: Room, time: Time) -> Self;

    /// With those that were written.
    fn read(input: impl Read, room: Room, time: Time) -> Result<Self, LoadError>;

    /// Writes those worth keeping, and says how many.
    fn write(&self, out: &mut impl Write) -> io::Result<usize>;
}

impl Kept for MemoryStore<Time> {
    const NAME: &'static str = "counters.bin";

    fn empty(room: Room, time: Time) -> Self {
        Self::with_bounds(room.keys, room.overflow_bytes, time)
    }

    fn read(input: impl Read, room: Room, time: Time) -> Result<Self, LoadError> {
        Self::load_with_bounds(input, room.keys, room.overflow_bytes, time)
    }

    fn write(&self, out: &mut impl Write) -> io::Result<usize> {
        self.save(out)
    }
}

impl Kept for CellStore<Time> {
    const NAME: &'static str = "cells.bin";

    fn empty(room: Room, time: Time) -> Self {
        Self::with_bounds(room.keys, room.overflow_bytes, time)
    }

    fn read(input: impl Read, room: Room, time: Time) -> Result<Self, LoadError> {
        Self::load_with_bounds(input, room.keys, room.overflow_bytes, time)
    }

    fn write(&self, out: &mut impl Write) -> io::Result<usize> {
        self.save(out)
    }
}

/// What was there at the start.
#[derive(Debug)]
pub(super) enum Found {
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
    /// The file of such counters in a data folder.
    pub(crate) fn of<K: Kept>(data: &Path) -> Self {
        Self { path: data.join(K::NAME) }
    }

    /// What to go on with: what was saved, or nothing.
    pub(super) fn load<K: Kept>(&self, room: Room, time: &Time) -> io::Result<(K, Found)> {
        let empty = || K::empty(room, time.clone());
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok((empty(), Found::Nothing));
            }
            Err(error) => return Err(error),
        };
        match K::read(BufReader::new(file), room, time.clone()) {
            Ok(counters) => Ok((counters, Found::Counters)),
            Err(error) => {
                let aside = self.path.with_extension("unreadable");
                fs::rename(&self.path, &aside)?;
                Ok((empty(), Found::Unreadable { error, aside }))
            }
        }
    }

    /// Puts these counters in the place of what is there; says how many they are.
    pub(super) fn save(&self, counters: &impl Kept) -> io::Result<usize> {
        replace(&self.path, |out| counters.write(out))
    }
}

/// Puts what is written in the place of a file, or leaves the file as it is.
pub(super) fn replace<T>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> io::Result<T> {
    let fresh = path.with_extension("new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let file = options.mode(OWNER_ONLY).open(&fresh)?;
    let mut out = BufWriter::new(file);
    let written = write(&mut out)?;
    out.flush()?;
    out.get_ref().sync_all()?;
    fs::rename(&fresh, path)?;
    Ok(written)
}
