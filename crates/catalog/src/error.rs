//! Why the catalog has no answer, told apart by who must act.

use std::{error::Error, time::Duration};

use tollgate_rules::review::Flaw;

use crate::{Conflict, EntryKind, OverrideId, RevisionNumber};

type Source = Box<dyn Error + Send + Sync>;

/// Why the catalog has no answer.
///
/// ```
/// use std::time::Duration;
/// use tollgate_catalog::CatalogError;
///
/// let error = CatalogError::Timeout(Duration::from_secs(5));
/// assert!(error.is_transient());
/// assert_eq!(error.to_string(), "the database did not answer within 5s");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// The address is none.
    #[error("not the address of a database: {0}")]
    Url(String),
    /// The database cannot be reached; nothing was written.
    #[error("the database cannot be reached: {0}")]
    Unreachable(#[source] Source),
    /// The database is slow, hung, or busy with another writer; nothing was written.
    #[error("the database did not answer within {0:?}")]
    Timeout(Duration),
    /// The write was sent and its answer was lost: it may have happened. Read the head before you try
    /// again; a write of equal content changes nothing.
    #[error(
        "the answer to a write was lost, it may have happened: look at the history before you repeat it"
    )]
    Undecided(#[source] Box<Self>),
    /// The database does not let us in, or not at what we need.
    #[error("the database refuses us: {0}; check user, password, database name and grants")]
    Denied(#[source] Source),
    /// Somebody else was faster, or something is not as the editor saw it.
    #[error("{0}")]
    Conflict(Box<Conflict>),
    /// What was to be written is not sound: names that do not exist, overrides that fit no rule.
    #[error("not written: {}", messages(.0))]
    Invalid(Vec<Flaw>),
    /// There is no such revision.
    #[error("there is no revision {wanted}: the history ends at {head}")]
    UnknownRevision {
        /// The one asked for.
        wanted: RevisionNumber,
        /// The newest there is.
        head: RevisionNumber,
    },
    /// There is no such override to replace.
    #[error("there is no override {0}: list them to see which there are")]
    UnknownOverride(OverrideId),
    /// There is no such entry.
    #[error("there is no {kind} {id:?}: list them to see which there are")]
    UnknownEntry {
        /// Of which kind.
        kind: EntryKind,
        /// Which.
        id: String,
    },
    /// The entry is not as the editor saw it.
    #[error("{kind} {id:?} was changed meanwhile: look at it again")]
    EntryChanged {
        /// Of which kind.
        kind: EntryKind,
        /// Which.
        id: String,
    },
    /// A newer release wrote an entry that this one does not understand.
    #[error("{kind} {id:?} cannot be read by this release: {why}; upgrade this node")]
    UnreadableEntry {
        /// Of which kind.
        kind: String,
        /// Which.
        id: String,
        /// Why not.
        why: String,
    },
    /// A key would be hashed with another secret than those that are there.
    #[error(
        "the API keys in the database are hashed with another secret than this node has, so no other node \
         would know this one: set TOLLGATE_KEY_SECRET to the same on all nodes"
    )]
    OtherKeySecret,
    /// There is no such proposal that waits.
    #[error("proposal {0} is not there, or does not wait any more: list them to see which do")]
    NotOpen(u64),
    /// Whoever proposes a change is not the one who approves it.
    #[error("proposal {0} is your own: somebody else has to approve it")]
    OwnProposal(u64),
    /// The database was migrated by a release whose tables this one cannot read.
    #[error(
        "the database has schema {database}, which needs a release of schema {min_reader} or newer; \
         this one has {ours}: upgrade it"
    )]
    NewerSchema {
        /// What the database has.
        database: i64,
        /// What a reader must know.
        min_reader: i64,
        /// What this release knows.
        ours: i64,
    },
    /// A newer release wrote something this one does not understand.
    #[error(
        "revision {revision} holds {item}, which this release cannot read: {why}; upgrade this node"
    )]
    Unreadable {
        /// The revision.
        revision: RevisionNumber,
        /// What in it.
        item: String,
        /// Why not.
        why: String,
    },
    /// A newer release wrote an override that this one does not understand.
    #[error("override {id} cannot be read by this release: {why}; upgrade this node")]
    UnreadableOverride {
        /// Which one.
        id: OverrideId,
        /// Why not.
        why: String,
    },
    /// What is stored is damaged: restore a backup.
    #[error("the database is damaged: {0}; restore it from a backup")]
    Corrupt(String),
    /// The database cannot be written to; reading works.
    #[error("the database is read-only: {0}")]
    ReadOnly(#[source] Source),
    /// The disk is full; nothing was changed.
    #[error("no room left for the database, nothing was changed: {0}")]
    Full(#[source] Source),
    /// More than one call may carry.
    #[error("{what}: {given} given, at most {max} allowed")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many were given.
        given: usize,
        /// How many are allowed.
        max: usize,
    },
    /// The database answered with an error that none of the others names.
    #[error("the database failed: {0}")]
    Failed(#[source] Source),
}

impl CatalogError {
    /// Whether the same call may succeed later without anybody acting.
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Timeout(_) | Self::Undecided(_))
    }

    /// An outage while a transaction is being committed leaves open whether it was.
    pub(crate) fn of_commit(self) -> Self {
        if self.is_transient() { Self::Undecided(Box::new(self)) } else { self }
    }
}

fn messages(flaws: &[Flaw]) -> String {
    let told = flaws.iter().map(|flaw| match &flaw.help {
        Some(help) => format!("{}: {} ({help})", flaw.at, flaw.message),
        None => format!("{}: {}", flaw.at, flaw.message),
    });
    told.collect::<Vec<String>>().join("; ")
}
