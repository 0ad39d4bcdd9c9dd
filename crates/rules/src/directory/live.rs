//! Millions of entries beside the snapshot, updated one by one.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use arc_swap::ArcSwap;
use foldhash::quality::RandomState;
use tollgate_core::{RuleId, Timestamp};

use super::{
    Entry, Found,
    blocks::{Block, Blocks},
    exceptions::{ByHash, key_hash},
    people::People,
};
use crate::{Change, Override, conditions::Facts};

/// Overrides and blocks, beside the snapshot: they change by the piece, and no change touches the rules.
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
    shards: Box<[ArcSwap<ByHash>]>,
    state: RandomState,
    /// Where each override is; only writers look.
    places: Mutex<HashMap<u64, u64>>,
    len: AtomicUsize,
    blocks: ArcSwap<Blocks>,
    pub(super) people: People,
}

impl Directory {
    /// Few enough to be empty cheaply, many enough that a shard of a million entries has 250.
    const SHARDS: usize = 4_096;

    /// A directory without any entry.
    pub fn new() -> Self {
        let empty = Arc::new(ByHash::default());
        let shards = (0..Self::SHARDS).map(|_| ArcSwap::new(Arc::clone(&empty)));
        Self {
            shards: shards.collect(),
            state: RandomState::default(),
            places: Mutex::new(HashMap::new()),
            len: AtomicUsize::new(0),
            blocks: ArcSwap::default(),
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
        let mut by_shard: HashMap<usize, Vec<(u64, Arc<Entry>)>> = HashMap::new();
        let mut moved = Vec::new();
        let mut kept = 0;
        let mut known = Known::default();
        for (id, rule, exception) in overrides {
            let Some(mut entry) = Entry::new(rule, exception, id) else {
                self.remove(id);
                continue;
            };
            known.share(&mut entry.change);
            let hash = key_hash(&self.state, &entry.key);
            match self.places().insert(id, hash) {
                None => kept += 1,
                Some(former) if former != hash => moved.push((id, former)),
                Some(_) => {}
            }
            let shard = by_shard.entry(Self::shard_of(hash)).or_default();
            shard.push((hash, Arc::new(entry)));
        }
        self.len.fetch_add(kept, Ordering::Release);
        for entries in by_shard.values() {
            // One exchange: nobody sees the old one gone and the new one not there yet.
            self.edit(entries.first().map_or(0, |(hash, _)| *hash), |shard| {
                for (hash, entry) in entries {
                    let drawer = shard.entry(*hash).or_default();
                    drawer.retain(|other| other.sequence != entry.sequence);
                    drawer.push(Arc::clone(entry));
                }
            });
        }
        for (id, former) in moved {
            self.drop_from(former, id);
        }
        by_shard.values().map(Vec::len).sum()
    }

    /// Removes the override with this id, if there is one.
    pub fn remove(&self, id: u64) -> bool {
        let Some(hash) = self.places().remove(&id) else {
            return false;
        };
        self.drop_from(hash, id);
        self.len.fetch_sub(1, Ordering::Release);
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
        self.edit(hash, |shard| {
            if let Some(entries) = shard.get_mut(&hash) {
                entries.retain(|entry| entry.sequence != id);
                if entries.is_empty() {
                    shard.remove(&hash);
                }
            }
        });
    }

    /// Puts a block in force, or another end to one that is.
    pub fn block(&self, block: &Block) {
        self.blocks.rcu(|blocks| blocks.with(block));
    }

    /// Lifts a block.
    pub fn unblock(&self, block: &Block) {
        self.blocks.rcu(|blocks| blocks.without(block));
    }

    /// How many overrides there are.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Acquire)
    }

    /// Whether there is no override.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn find(&self, rule: RuleId, key: &[u8], now: Timestamp) -> Found {
        if self.is_empty() {
            return Found::default();
        }
        let hash = key_hash(&self.state, key);
        let Some(shard) = self.shards.get(Self::shard_of(hash)) else {
            return Found::default();
        };
        let shard = shard.load();
        let entries = shard.get(&hash);
        entries.map_or_else(Found::default, |entries| {
            Found::among(entries, rule, key, now)
        })
    }

    pub(crate) fn blocking(&self, facts: &Facts<'_, '_>, now: Timestamp) -> Option<Arc<Block>> {
        let blocks = self.blocks.load();
        blocks.find(facts.query, now)
    }

    fn edit(&self, hash: u64, change: impl Fn(&mut ByHash)) {
        if let Some(shard) = self.shards.get(Self::shard_of(hash)) {
            shard.rcu(|shard| {
                let mut shard = ByHash::clone(shard);
                change(&mut shard);
                shard
            });
        }
    }

    fn places(&self) -> std::sync::MutexGuard<'_, HashMap<u64, u64>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    const fn shard_of(hash: u64) -> usize {
        (hash >> 52) as usize
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
