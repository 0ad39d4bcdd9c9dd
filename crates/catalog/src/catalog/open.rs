//! Opening a catalog.

use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use tollgate_core::{Clock, SystemClock, Timestamp};

use super::{OverrideSeq, migrate, store};
use crate::{
    CatalogError, DatabaseUrl, Revision, RevisionHash, RevisionNumber,
    deadline::{CALL_MAX, Deadlines},
    sql::Database,
    watch::Hints,
};

/// The database of rules, revisions and overrides. Copies share its connections.
///
/// Nothing here is on the way of a decision: nodes decide from the last revision they fetched.
#[derive(Clone)]
pub struct Catalog {
    pub(super) database: Database,
    pub(super) clock: Arc<dyn Clock>,
    /// One writer of this process at a time; the database sees to the others.
    pub(super) writer: Arc<tokio::sync::Mutex<()>>,
    /// The newest revision that was read, to read only what changed since.
    newest: Arc<Mutex<Option<Arc<Revision>>>>,
    /// Of the secret that this process hashes API keys with, if it does.
    pub(super) key_print: Arc<OnceLock<String>>,
    url: DatabaseUrl,
}

/// How a catalog is opened.
#[derive(Clone)]
pub struct Options {
    clock: Arc<dyn Clock>,
    call_max: Duration,
}

impl Options {
    /// With this clock instead of the machine's, for what is stamped with a time.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// With this long for one short answer of the database, instead of [`CALL_MAX`]; whole revisions
    /// have six times as long.
    #[must_use]
    pub const fn call_max(mut self, call_max: Duration) -> Self {
        self.call_max = call_max;
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { clock: Arc::new(SystemClock), call_max: CALL_MAX }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("call_max", &self.call_max).finish_non_exhaustive()
    }
}

/// The newest of everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Head {
    /// The newest revision.
    pub revision: RevisionNumber,
    /// The hash of what it holds.
    pub hash: RevisionHash,
    /// The newest write to the overrides.
    pub override_seq: OverrideSeq,
}

impl Catalog {
    /// Opens a database, and creates or migrates its tables where that is due. Several processes may do
    /// so at once.
    ///
    /// # Errors
    ///
    /// If the database cannot be reached, does not let us in, is damaged, or belongs to a release that
    /// this one cannot read.
    pub async fn open(url: &DatabaseUrl) -> Result<Self, CatalogError> {
        Self::open_with(url, Options::default()).await
    }

    /// As [`Catalog::open`], with another clock or other deadlines.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::open`].
    pub async fn open_with(url: &DatabaseUrl, options: Options) -> Result<Self, CatalogError> {
        let catalog = Self::lazy(url, options)?;
        catalog.ready().await?;
        Ok(catalog)
    }

    /// A catalog that has not been asked for anything yet: for a node that must start without it.
    /// Call it where a runtime is running.
    ///
    /// # Errors
    ///
    /// If the address is none, or a SQLite file cannot be created.
    pub fn lazy(url: &DatabaseUrl, options: Options) -> Result<Self, CatalogError> {
        let database = Database::new(url, Deadlines::scaled(options.call_max))?;
        Ok(Self::over(database, options.clock, url.clone()))
    }

    pub(crate) fn over(database: Database, clock: Arc<dyn Clock>, url: DatabaseUrl) -> Self {
        let (writer, newest) = (Arc::default(), Arc::default());
        Self { database, clock, writer, newest, key_print: Arc::default(), url }
    }

    /// Creates or migrates the tables where that is due.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::open`].
    pub async fn ready(&self) -> Result<(), CatalogError> {
        migrate::run(&self.database).await
    }

    /// The newest of everything.
    ///
    /// # Errors
    ///
    /// If the database has no answer.
    pub async fn head(&self) -> Result<Head, CatalogError> {
        self.database.read(store::head).await
    }

    /// Where it is; shown without its password.
    pub const fn url(&self) -> &DatabaseUrl {
        &self.url
    }

    /// Ends every connection, within a deadline.
    pub async fn close(&self) {
        self.database.close().await;
    }

    /// The time by the clock it was opened with.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now().wall
    }

    /// Where news of changes come from.
    pub(crate) async fn hints(&self) -> Result<Hints, CatalogError> {
        self.database.hints().await
    }

    pub(super) const fn deadlines(&self) -> Deadlines {
        self.database.deadlines()
    }

    /// The newest revision read so far.
    pub(super) fn newest(&self) -> Option<Arc<Revision>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn remember(&self, revision: &Arc<Revision>) {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        *newest = Some(Arc::clone(revision));
    }
}

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalog").field("url", &self.url).finish_non_exhaustive()
    }
}
