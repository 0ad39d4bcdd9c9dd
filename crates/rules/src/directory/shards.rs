//! A map that is read without a lock and changed by the piece.

use std::{
    collections::HashMap,
    hash::BuildHasherDefault,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use arc_swap::ArcSwap;
use smallvec::SmallVec;

use crate::index::AsIs;

/// Entries by the hash of what they are found by. What is found is checked, so two may share a hash.
pub(super) type Drawers<V> = HashMap<u64, SmallVec<[Arc<V>; 1]>, BuildHasherDefault<AsIs>>;

/// Reading takes no lock: each shard is replaced as a whole, and is small.
#[derive(Debug)]
pub(super) struct Shards<V> {
    shards: Box<[ArcSwap<Drawers<V>>]>,
    len: AtomicUsize,
}

impl<V> Shards<V> {
    /// Few enough to be empty cheaply, many enough that a shard of a million entries has 250.
    const COUNT: usize = 4_096;

    /// How many there are. Exact for whoever writes.
    pub(super) fn len(&self) -> usize {
        self.len.load(Ordering::Acquire)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Runs `with` on all that share a hash.
    #[inline]
    pub(super) fn find<R>(&self, hash: u64, with: impl FnOnce(&[Arc<V>]) -> R) -> Option<R> {
        if self.is_empty() {
            return None;
        }
        let shard = self.shards.get(Self::shard_of(hash))?.load();
        shard.get(&hash).map(|drawer| with(drawer))
    }

    /// Puts many in force; each shard is rewritten once, so nobody sees an old one gone and the new one not there yet.
    /// `is_same` tells whom one replaces among those of its hash.
    pub(super) fn put_all(
        &self,
        entries: impl IntoIterator<Item = (u64, Arc<V>)>,
        is_same: impl Fn(&V, &V) -> bool,
    ) {
        let mut by_shard: HashMap<usize, Vec<(u64, Arc<V>)>> = HashMap::new();
        for (hash, entry) in entries {
            let shard = by_shard.entry(Self::shard_of(hash)).or_default();
            shard.push((hash, entry));
        }
        for (place, entries) in &by_shard {
            self.edit(*place, |shard| {
                for (hash, entry) in entries {
                    let drawer = shard.entry(*hash).or_default();
                    drawer.retain(|other| !is_same(other, entry));
                    drawer.push(Arc::clone(entry));
                }
            });
        }
    }

    /// Removes those of a hash that are meant.
    pub(super) fn remove(&self, hash: u64, is_meant: impl Fn(&V) -> bool) {
        self.edit(Self::shard_of(hash), |shard| {
            if let Some(drawer) = shard.get_mut(&hash) {
                drawer.retain(|entry| !is_meant(entry));
                if drawer.is_empty() {
                    shard.remove(&hash);
                }
            }
        });
    }

    /// Removes all that are not to be kept.
    pub(super) fn retain(&self, is_kept: impl Fn(&V) -> bool) {
        for place in 0..Self::COUNT {
            let shard = self.shards.get(place).map(ArcSwap::load);
            let is_whole =
                |shard: &Drawers<V>| shard.values().flatten().all(|entry| is_kept(entry));
            if shard.is_none_or(|shard| is_whole(&shard)) {
                continue;
            }
            self.edit(place, |shard| {
                shard.retain(|_, drawer| {
                    drawer.retain(|entry| is_kept(entry));
                    !drawer.is_empty()
                });
            });
        }
    }

    /// Writers take turns; whoever calls holds a lock of its own.
    fn edit(&self, place: usize, change: impl Fn(&mut Drawers<V>)) {
        let Some(shard) = self.shards.get(place) else {
            return;
        };
        let before = shard.load_full();
        let mut after = Drawers::clone(&before);
        change(&mut after);
        let count = |drawers: &Drawers<V>| drawers.values().map(SmallVec::len).sum::<usize>();
        let (was, is) = (count(&before), count(&after));
        // Counted before what is new can be found, and after what is gone cannot be.
        if is > was {
            self.len.fetch_add(is - was, Ordering::Release);
        }
        shard.store(Arc::new(after));
        if is < was {
            self.len.fetch_sub(was - is, Ordering::Release);
        }
    }

    const fn shard_of(hash: u64) -> usize {
        (hash >> 52) as usize
    }
}

impl<V> Default for Shards<V> {
    fn default() -> Self {
        let empty = Arc::new(Drawers::default());
        let shards = (0..Self::COUNT).map(|_| ArcSwap::new(Arc::clone(&empty)));
        Self { shards: shards.collect(), len: AtomicUsize::new(0) }
    }
}
