//! Where the news go.

use std::sync::Arc;

use crate::{EntryKind, OverrideDelta, Revision, Scope, StoredEntry};

/// Puts into force what the watcher has fetched. Called by one thread at a time, never by one that serves
/// requests.
pub trait Publish: Send + Sync + 'static {
    /// Puts a revision in force. Numbers only grow.
    ///
    /// # Errors
    ///
    /// If it cannot be put in force; then the one before stays, and the status says why.
    fn rules(&self, revision: &Arc<Revision>) -> Result<(), Refused>;

    /// Takes a page of what changed among the overrides.
    fn overrides(&self, delta: OverrideDelta);

    /// Takes a page of what changed among API keys, quotas, blocks and tokens.
    fn entries(&self, delta: EntryDelta);
}

/// A page of what changed among the entries.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryDelta {
    /// What the pages up to the last one hold together.
    pub scope: Scope,
    /// The entries, oldest write first; those that were taken away are among them.
    pub entries: Vec<StoredEntry>,
    /// Quotas and blocks that this release cannot read: those of that id stay as they were.
    pub kept: Vec<(EntryKind, Arc<str>)>,
    /// Whether it is the first one.
    pub is_first: bool,
    /// Whether it is the last one.
    pub is_last: bool,
}

/// Why a revision cannot be put in force.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);
