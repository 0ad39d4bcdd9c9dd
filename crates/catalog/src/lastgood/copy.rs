//! The files, and how they are put in place.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, BufWriter, ErrorKind},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{LastGoodError, frames::write_magic};

/// The last good copy of rules and overrides in a folder. Rules are replaced as a whole; overrides are
/// added to the end of theirs, since there may be a million.
#[derive(Clone, Debug)]
pub struct LastGood {
    folder: Arc<Path>,
    tail: Arc<Mutex<Tail>>,
}

/// What is known about the end of the file of overrides.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// How far it is good; none before it was written or read, and after a write that failed.
    pub(super) good: Option<u64>,
    pub(super) fresh: Fresh,
    /// How many overrides the file began with.
    pub(super) begun: u64,
    /// How many were added since.
    pub(super) added: u64,
}

/// A new file, while the pages of a walk over everything come in.
#[derive(Debug, Default)]
pub(super) enum Fresh {
    /// The next page begins it.
    #[default]
    Unbegun,
    /// It is being written.
    Begun(BufWriter<File>),
    /// A page could not be kept: those that follow are of no use.
    Failed,
}

impl LastGood {
    /// In this folder, which is created when something is written.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.into(), tail: Arc::default() }
    }

    /// Where the rules are.
    pub fn rules_path(&self) -> PathBuf {
        self.folder.join("last-good-rules")
    }

    /// Where the overrides are.
    pub fn overrides_path(&self) -> PathBuf {
        self.folder.join("last-good-overrides")
    }

    pub(super) fn tail(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new file beside the one it will replace.
    pub(super) fn begin(&self, path: &Path) -> io::Result<BufWriter<File>> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut out = BufWriter::new(options.open(beside(path, "new"))?);
        write_magic(&mut out)?;
        Ok(out)
    }

    /// Puts a new file in its place: afterwards there is the old one or the new one, never a part.
    pub(super) fn replace(&self, path: &Path, out: BufWriter<File>) -> io::Result<u64> {
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        let length = file.metadata()?.len();
        fs::rename(beside(path, "new"), path)?;
        // The folder holds the name: without this a power cut may bring the old file back.
        File::open(&self.folder)?.sync_all()?;
        Ok(length)
    }
}

/// The file, if there is one.
pub(super) fn open(path: &Path) -> Result<Option<File>, LastGoodError> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed(path, source)),
    }
}

pub(super) fn failed(path: &Path, source: io::Error) -> LastGoodError {
    LastGoodError::Io { path: path.to_owned(), source }
}

/// Moves a damaged file aside, where somebody can look at it.
pub(super) fn damaged(path: &Path, why: impl Into<String>) -> LastGoodError {
    let moved = beside(path, "corrupt");
    match fs::rename(path, &moved) {
        Ok(()) => LastGoodError::Damaged { path: path.to_owned(), moved, why: why.into() },
        Err(source) => failed(path, source),
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}
