//! What a watcher knows about itself.

use std::fmt;

use tollgate_core::Timestamp;

use crate::{Head, OverrideSeq, RevisionHash, RevisionNumber};

/// What is in force on a node, and what is in the way of something newer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WatchStatus {
    /// What is in force; none as long as there is no snapshot at all.
    pub in_force: Option<InForce>,
    /// The last write to the overrides that is in force.
    pub override_seq: OverrideSeq,
    /// The newest that the database has told of.
    pub head: Option<Head>,
    /// When the database was last followed to its head.
    pub synced_at: Option<Timestamp>,
    /// Since when that has not been possible; none while all is well.
    pub stale_since: Option<Timestamp>,
    /// What is in the way; none while all is well.
    pub trouble: Option<Trouble>,
    /// Why the last good copy could not be written or read; none while all is well.
    pub last_good: Option<String>,
}

impl WatchStatus {
    /// The revision in force; none as long as there is no snapshot at all.
    pub fn revision(&self) -> Option<RevisionNumber> {
        self.in_force.map(|it| it.revision)
    }
}

/// A revision that is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InForce {
    /// Its number.
    pub revision: RevisionNumber,
    /// The hash of what it holds.
    pub hash: RevisionHash,
    /// Where it was read.
    pub origin: Origin,
}

/// Where a snapshot was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// In the database.
    Database,
    /// In the last good copy on disk.
    LastGood,
}

/// Why a node does not run the newest revision.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trouble {
    /// The database has no answer.
    Database(String),
    /// The database is older than what is in force: it was restored from a backup. What is in force stays
    /// until a write goes above it.
    Older {
        /// The newest revision that the database has.
        database: RevisionNumber,
        /// The one in force.
        in_force: RevisionNumber,
    },
    /// The same of the overrides.
    OlderOverrides {
        /// The newest write that the database has.
        database: OverrideSeq,
        /// The last one in force.
        in_force: OverrideSeq,
    },
    /// The newest revision cannot be read by this release, or is damaged.
    Unreadable(String),
    /// The newest revision cannot be put in force.
    Refused(String),
    /// The newest revision is in force, but the database does not let us say so.
    Unreported(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database(why) | Self::Unreadable(why) => f.write_str(why),
            Self::Older { database, in_force } => write!(
                f,
                "the database is at revision {database}, older than {in_force} in force: was it \
                 restored from a backup? {in_force} stays until the next write"
            ),
            Self::OlderOverrides { database, in_force } => write!(
                f,
                "the database is at write {database} of the overrides, older than {in_force} in force: \
                 was it restored from a backup? They stay until the next write"
            ),
            Self::Unreported(why) => write!(f, "this node cannot report what it runs: {why}"),
            Self::Refused(why) => write!(f, "the newest revision cannot be put in force: {why}"),
        }
    }
}
