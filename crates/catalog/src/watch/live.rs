//! News for the decisions of this process.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use tollgate_core::RuleId;
use tollgate_rules::{Live, Override, Published};

use super::{Publish, Refused};
use crate::{OverrideDelta, Revision, Scope, StoredOverride};

/// Puts what a [`super::Watcher`] finds in force in a [`Live`]: a revision is one pointer store, overrides
/// go into the directory by the piece.
#[derive(Debug)]
pub struct LivePublisher {
    live: Arc<Live>,
    /// The overrides that the pages of a whole listing held so far.
    seen: Mutex<HashSet<u64>>,
}

impl LivePublisher {
    /// News go to `live`.
    pub fn new(live: Arc<Live>) -> Self {
        Self {
            live,
            seen: Mutex::default(),
        }
    }
}

impl Publish for LivePublisher {
    fn rules(&self, revision: &Arc<Revision>) -> Result<(), Refused> {
        match self.live.publish(&revision.set, revision.number.get()) {
            Published::Older { in_force } => Err(Refused(format!(
                "revision {in_force} is in force, which is newer"
            ))),
            _ => Ok(()),
        }
    }

    fn overrides(&self, delta: OverrideDelta) {
        let directory = self.live.directory();
        let entries: Vec<(u64, Option<RuleId>, Override)> =
            delta.entries.iter().map(in_force).collect();
        let put = entries
            .iter()
            .map(|(id, rule, exception)| (*id, *rule, exception));
        directory.put_all(put);
        if delta.scope != Scope::Everything {
            return;
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if delta.is_first {
            seen.clear();
        }
        seen.extend(entries.iter().map(|(id, ..)| *id));
        if delta.is_last {
            directory.retain(|id| seen.contains(&id));
            seen.clear();
        }
    }
}

/// One that was taken away stays as one that has ended: its limits are still looked for (D14).
fn in_force(stored: &StoredOverride) -> (u64, Option<RuleId>, Override) {
    let mut exception = stored.what.clone();
    exception.until = stored.ends_at();
    (stored.id.get(), stored.rule_id, exception)
}
