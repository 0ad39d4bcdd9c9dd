//! News for the decisions of this process.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use tollgate_core::RuleId;
use tollgate_rules::{Live, Override, Published};

use super::{EntryDelta, Publish, Refused, people::People};
use crate::{OverrideDelta, Revision, Scope, StoredOverride};

/// Puts what a [`super::Watcher`] finds in force in a [`Live`]: a revision is one pointer store, overrides
/// go into the directory by the piece.
#[derive(Debug)]
pub struct LivePublisher {
    live: Arc<Live>,
    /// The overrides that the pages of a whole listing held so far.
    seen: Mutex<HashSet<u64>>,
    people: Mutex<People>,
}

impl LivePublisher {
    /// News go to `live`.
    pub fn new(live: Arc<Live>) -> Self {
        Self { live, seen: Mutex::default(), people: Mutex::default() }
    }
}

impl Publish for LivePublisher {
    fn rules(&self, revision: &Arc<Revision>) -> Result<(), Refused> {
        match self.live.publish(&revision.set, revision.number.get()) {
            Published::Older { in_force } => {
                Err(Refused(format!("revision {in_force} is in force, which is newer")))
            }
            _ => Ok(()),
        }
    }

    fn overrides(&self, delta: OverrideDelta) {
        let directory = self.live.directory();
        let entries: Vec<(u64, Option<RuleId>, Override)> =
            delta.entries.iter().map(in_force).collect();
        let put = entries.iter().map(|(id, rule, exception)| (*id, *rule, exception));
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

    fn entries(&self, delta: EntryDelta) {
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        people.take(self.live.directory(), delta);
    }
}

/// One that was taken away stays as one that has ended: its limits are still looked for (D14).
fn in_force(stored: &StoredOverride) -> (u64, Option<RuleId>, Override) {
    let mut exception = stored.what.clone();
    exception.until = stored.ends_at();
    (stored.id.get(), stored.rule_id, exception)
}

#[cfg(test)]
mod tests {
    use tollgate_core::Timestamp;
    use tollgate_rules::Field;

    use super::*;
    use crate::{OverrideId, OverrideSeq};

    fn stored(id: u64) -> StoredOverride {
        let mut what = Override::new(None);
        what.key.insert(Field::User, format!("user-{id}").into());
        StoredOverride {
            id: OverrideId::new(id).unwrap(),
            what,
            rule_id: None,
            seq: OverrideSeq::ZERO,
            author: "dana".into(),
            created_at: Timestamp::EPOCH,
            removed: None,
        }
    }

    /// A page in the middle of a whole listing.
    fn page(ids: &[u64]) -> OverrideDelta {
        OverrideDelta {
            scope: Scope::Everything,
            entries: ids.iter().copied().map(stored).collect(),
            seq: OverrideSeq::ZERO,
            is_first: false,
            is_last: false,
            skipped: None,
        }
    }

    /// What a listing held that was given up does not count for the next one.
    #[test]
    fn a_listing_that_was_given_up_keeps_nothing_alive() {
        let live = Arc::new(Live::new());
        let publisher = LivePublisher::new(Arc::clone(&live));
        for ids in [[1, 2].as_slice(), &[2]] {
            publisher.overrides(OverrideDelta { is_first: true, ..page(ids) });
        }
        publisher.overrides(OverrideDelta { is_last: true, ..page(&[3]) });
        assert_eq!(live.directory().len(), 2, "the first is gone");
    }
}
