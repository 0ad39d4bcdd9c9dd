//! Where the news go.

use std::sync::Arc;

use crate::{OverrideDelta, Revision};

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
}

/// Why a revision cannot be put in force.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);
