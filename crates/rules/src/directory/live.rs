//! Millions of entries beside the snapshot, updated one by one.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use foldhash::quality::RandomState;
use tollgate_core::{RuleId, Timestamp};

use super::{Entry, Found, blocks::Blocks, exceptions::key_hash, people::People, shards::Shards};
use crate::{Change, Override};

/// Overrides, blocks, API keys and quotas, beside the snapshot: they change by the piece, and no change touches the rules.
///
/// Reading takes no lock: each shard is replaced as a whole, and is small.
///
/// ```
/// use tollgate_rules::{Directory, Override};
///
/// let directory = Directory::new();
/// assert!(directory.is_empty());
/// ```
pub struct Directory {
    overrides: Shards<Entry>,
    pub(super) state: RandomState,
    /// Where each override is; only writers look, one at a time.
    places: Mutex<HashMap<u64, u64>>,
    pub(super) blocks: Blocks,
    pub(super) people: People,
}

impl Directory {
    /// A directory without any entry.
    pub fn new() -> Self {
        Self {
            overrides: Shards::default(),
            state: RandomState::default(),
            places: Mutex::new(HashMap::new()),
            blocks: Blocks::default(),
            people: People::default(),
        }
    }

    /// Puts an override in force under an id, instead of the one that had it. Of two overrides of one
    /// key the one with the higher id is the newer. `rule` is the id of the rule that the override
    /// names. An override whose values no request can have is not kept, and the answer is `false`.
    pub fn put(&self, id: u64, rule: Option<RuleId>, exception: &Override) -> bool {
        self.put_all([(id, rule, exception)]) == 1
    }

    /// Puts many overrides in force, as [`Directory::put`] does, and says how many were kept; each shard
    /// is rewritten once.
    pub fn put_all<'o>(
        &self,
        overrides: impl IntoIterator<Item = (u64, Option<RuleId>, &'o Override)>,
    ) -> usize {
        let mut places = self.places();
        let (mut kept, mut gone) = (Vec::new(), Vec::new());
        let mut known = Known::default();
        for (id, rule, exception) in overrides {
            let Some(mut entry) = Entry::new(rule, exception, id) else {
                gone.extend(places.remove(&id).map(|former| (id, former)));
                continue;
            };
            known.share(&mut entry.change);
            let hash = key_hash(&self.state, &entry.key);
            let former = places.insert(id, hash).filter(|former| *former != hash);
            gone.extend(former.map(|former| (id, former)));
            kept.push((hash, Arc::new(entry)));
        }
        let count = kept.len();
        self.overrides
            .put_all(kept, |one, other| one.sequence == other.sequence);
        for (id, former) in gone {
            self.drop_from(former, id);
        }
        count
    }

    /// Removes the override with this id, if there is one.
    pub fn remove(&self, id: u64) -> bool {
        let mut places = self.places();
        let Some(hash) = places.remove(&id) else {
            return false;
        };
        self.drop_from(hash, id);
        true
    }

    /// Removes every override whose id is not to be kept.
    pub fn retain(&self, is_kept: impl Fn(u64) -> bool) {
        let ids: Vec<u64> = self.places().keys().copied().collect();
        for id in ids.into_iter().filter(|id| !is_kept(*id)) {
            self.remove(id);
        }
    }

    fn drop_from(&self, hash: u64, id: u64) {
        self.overrides.remove(hash, |entry| entry.sequence == id);
    }

    /// How many overrides there are.
    pub fn len(&self) -> usize {
        self.overrides.len()
    }

    /// Whether there is no override.
    pub fn is_empty(&self) -> bool {
        self.overrides.is_empty()
    }

    pub(crate) fn find(&self, rule: RuleId, key: &[u8], now: Timestamp) -> Found {
        if self.is_empty() {
            return Found::default();
        }
        let hash = key_hash(&self.state, key);
        let found = |entries: &[Arc<Entry>]| Found::among(entries, rule, key, now);
        self.overrides.find(hash, found).unwrap_or_default()
    }

    fn places(&self) -> MutexGuard<'_, HashMap<u64, u64>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Changes that were met lately. Customers of one plan have the same, and a limit is large beside a key.
#[derive(Debug, Default)]
struct Known(VecDeque<Arc<Change>>);

impl Known {
    const KEPT: usize = 16;

    /// Puts an equal change that is known already in its place.
    fn share(&mut self, change: &mut Arc<Change>) {
        match self.0.iter().find(|known| *known == change) {
            Some(known) => *change = Arc::clone(known),
            None => {
                self.0.truncate(Self::KEPT - 1);
                self.0.push_front(Arc::clone(change));
            }
        }
    }
}

impl Default for Directory {
    fn default() -> Self {
        Self::new()
    }
}

/// Keys are caller data: only their number is shown.
impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Directory({} overrides)", self.len())
    }
}
