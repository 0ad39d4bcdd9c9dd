//! A rules file that owns the rules (SPEC 12.11): every change of it is a revision.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use tokio::{
    sync::watch,
    time::{MissedTickBehavior, interval},
};
use tollgate_catalog::{Author, Base, Catalog, CatalogError, RevisionNumber};
use tollgate_rules::{
    RuleSet,
    document::{self, Reading},
};

use crate::{counting::Counting, hangup::Hangup, stop::Stop, telemetry::Recorder};

/// A rules file that is watched.
#[derive(Debug)]
pub(crate) struct RulesFile {
    path: PathBuf,
    catalog: Catalog,
    recorder: Arc<Recorder>,
    status: watch::Sender<FileStatus>,
    seen: Option<Stamp>,
    hangup: Hangup,
    counting: Counting,
    /// The file is fine, but the catalog did not take it: try again.
    must_retry: bool,
}

/// How the file is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileStatus {
    /// What is wrong with it; none while it is in force.
    pub(crate) trouble: Option<String>,
}

/// Why a file is not in force.
#[derive(Debug, thiserror::Error)]
pub enum RulesFileError {
    /// It cannot be read.
    #[error("cannot read the rules file {} (--rules): {source}", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It has errors.
    #[error("the rules file {} has errors (`tollgate rules validate` shows them too):\n{report}", .path.display())]
    Broken {
        /// Which.
        path: PathBuf,
        /// All of them.
        report: String,
    },
    /// The catalog did not take it.
    #[error("the rules of {} could not be stored: {source}", .path.display())]
    NotStored {
        /// Which.
        path: PathBuf,
        /// Why.
        source: CatalogError,
    },
}

/// What tells that a file may have changed.
type Stamp = (SystemTime, u64);

/// A rules file that was read and is sound.
#[derive(Debug)]
pub(crate) struct FileContents {
    rules: RuleSet,
    /// Taken before the file was read, so that a change in between is seen.
    stamp: Option<Stamp>,
}

/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

impl RulesFile {
    pub(crate) fn new(
        path: PathBuf,
        catalog: Catalog,
        recorder: Arc<Recorder>,
        hangup: Hangup,
    ) -> (Self, watch::Receiver<FileStatus>) {
        let (status, receiver) = watch::channel(FileStatus::default());
        let file = Self {
            path,
            catalog,
            recorder,
            status,
            seen: None,
            hangup,
            counting: Counting::Alone,
            must_retry: false,
        };
        (file, receiver)
    }

    /// For counters that are there.
    pub(crate) const fn counted(mut self, counting: Counting) -> Self {
        self.counting = counting;
        self
    }

    /// Reads the file and puts it in the catalog.
    async fn apply(&mut self) -> Result<RevisionNumber, RulesFileError> {
        // A file that cannot be read is not tried again before it changes.
        self.seen = stamp(&self.path);
        let contents = FileContents::read(&self.path, self.counting)?;
        self.store(contents).await
    }

    /// Puts what was read in the catalog.
    pub(crate) async fn store(
        &mut self,
        contents: FileContents,
    ) -> Result<RevisionNumber, RulesFileError> {
        self.seen = contents.stamp;
        let path = || self.path.clone();
        let set = Arc::new(contents.rules);
        let author = Author::new("rules-file").because(&format!("{}", self.path.display()));
        let written = self.catalog.apply(&set, Base::Any, author).await;
        let written =
            written.map_err(|source| RulesFileError::NotStored { path: path(), source })?;
        Ok(written.revision)
    }

    /// Follows the file until `stop` turns true: on every change, and when told by SIGHUP.
    pub(crate) async fn run(mut self, mut stop: Stop) {
        let mut turn = interval(LOOK_EVERY);
        turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let is_told = tokio::select! {
                _ = turn.tick() => false,
                () = self.hangup.heard() => true,
                () = stop.heard() => return,
            };
            let has_changed = stamp(&self.path) != self.seen;
            if is_told || has_changed || self.must_retry {
                self.reload().await;
            }
        }
    }

    async fn reload(&mut self) {
        let applied = self.apply().await;
        self.recorder.rules_reloaded(applied.as_ref().map(|_| ()));
        let trouble = applied.as_ref().err().map(|error| in_a_line(&error.to_string()));
        let is_news = self.status.borrow().trouble != trouble;
        match (&applied, &trouble) {
            (Ok(revision), _) => {
                tracing::info!(revision = revision.get(), file = %self.path.display(), "The rules file is in force.");
            }
            (Err(_), Some(why)) if is_news => {
                tracing::error!(file = %self.path.display(), "The last good rules stay in force: {why}");
            }
            _ => {}
        }
        self.status.send_replace(FileStatus { trouble });
        self.must_retry = matches!(applied, Err(RulesFileError::NotStored { .. }));
    }
}

/// The words of an error without its lines, for a log and for programs.
fn in_a_line(words: &str) -> String {
    let lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join(" ");
    line.chars().take(LINE_CHARS_MAX).collect()
}

/// The most of an error that a line holds; `tollgate rules validate` shows all of it.
const LINE_CHARS_MAX: usize = 1_000;

fn stamp(path: &Path) -> Option<Stamp> {
    let about = std::fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

/// What the file says, with all that is wrong with it.
pub(crate) fn reading(path: &Path, counting: Counting) -> Result<Reading, RulesFileError> {
    let text = text(path)
        .map_err(|source| RulesFileError::Unreadable { path: path.to_owned(), source })?;
    let name = path.display().to_string();
    Ok(match counting {
        Counting::Alone => document::read(&name, &text),
        Counting::Shared(_) => document::read_for_redis(&name, &text),
    })
}

impl FileContents {
    /// # Errors
    ///
    /// [`RulesFileError`] with every error of the file.
    pub(crate) fn read(path: &Path, counting: Counting) -> Result<Self, RulesFileError> {
        let stamp = stamp(path);
        let read = reading(path, counting)?;
        match read.document {
            Some(document) => Ok(Self { rules: document.rules, stamp }),
            None => Err(RulesFileError::Broken {
                path: path.to_owned(),
                report: read.report.to_string(),
            }),
        }
    }
}

fn text(path: &Path) -> io::Result<String> {
    let most = u64::try_from(document::BYTES_MAX).unwrap_or(u64::MAX);
    let mut text = String::new();
    // To open a pipe is to wait for whoever fills it, perhaps for ever.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let file = File::open(path)?;
    file.take(most.saturating_add(1)).read_to_string(&mut text)?;
    if text.len() > document::BYTES_MAX {
        let why = format!("more than {most} bytes, which is the most a rules file may have");
        return Err(io::Error::other(why));
    }
    Ok(text)
}
