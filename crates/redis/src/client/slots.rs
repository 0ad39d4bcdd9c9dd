//! What was told again of each slot after a server took over.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{
            AtomicBool, AtomicU64,
            Ordering::{Acquire, Relaxed, Release},
        },
    },
};

use tokio::sync::Notify;

use super::{client::Client, map::Map, shard::Shard};
use crate::{Layout, slot::Slot};

/// The slots, as far as losses are concerned.
pub(super) struct Slots(Box<[Account]>);

#[derive(Default)]
struct Account {
    /// Whether anybody has ever served it.
    was_served: AtomicBool,
    /// The time of Redis since which those who served it may have lost some of its counters.
    carried: AtomicU64,
    /// For which such time this node has told all that it knows.
    asserted: AtomicU64,
}

/// A slot of which a server may have lost counters, and since when by the time of Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loss {
    pub(crate) slot: Slot,
    pub(crate) since: u64,
    /// Whether this node may still hear what it was granted by the server before.
    is_fresh: IsFresh,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IsFresh {
    Yes,
    No,
}

impl Slots {
    pub(super) fn new() -> Self {
        Self((0..Slot::COUNT).map(|_| Account::default()).collect())
    }

    fn of(&self, slot: Slot) -> Option<&Account> {
        self.0.get(usize::from(slot.get()))
    }

    /// Slots go from the owners in one map to those in another: what the old may have lost stays lost, and the new are
    /// asked who they are.
    pub(super) fn hand_over(&self, old: &Map, new: &Map) {
        let was_served = |slot: &Slot| {
            let account = self.of(*slot);
            account.is_some_and(|account| account.was_served.load(Relaxed))
        };
        let successors = new.slots().filter(was_served);
        let successors = successors.filter_map(|slot| new.shard(slot).map(Arc::as_ptr));
        let successors: HashSet<*const Shard> = successors.collect();
        for shard in &new.shards {
            if !successors.contains(&Arc::as_ptr(shard)) {
                shard.is_first();
            }
        }
        for slot in new.slots() {
            self.pass_on(slot, old.shard(slot), new.shard(slot));
        }
    }

    /// The same for one slot.
    pub(super) fn pass_on(&self, slot: Slot, from: Option<&Arc<Shard>>, to: Option<&Arc<Shard>>) {
        let Some(account) = self.of(slot) else {
            return;
        };
        if let Some(from) = from {
            account.carried.fetch_max(from.since(), Release);
        }
        if let Some(to) = to {
            account.was_served.store(true, Relaxed);
            if from.is_none_or(|from| !Arc::ptr_eq(from, to)) {
                to.doubt();
            }
        }
    }
}

impl Client {
    /// The time of Redis in µs since which a counter of this slot that is not there may be a lost one; 0 if there is
    /// none.
    pub(crate) fn since(&self, slot: Slot) -> u64 {
        let slot = self.told_apart(slot);
        let of_owner = self.shard(slot).map_or(0, |shard| shard.since());
        let account = self.slots.of(slot);
        of_owner.max(account.map_or(0, |account| account.carried.load(Acquire)))
    }

    /// Whether all that this node knows of a slot has been told to whoever serves it now.
    pub(crate) fn is_asserted(&self, slot: Slot) -> bool {
        let since = self.since(slot);
        let account = self.slots.of(self.told_apart(slot));
        since == 0 || account.is_some_and(|account| account.asserted.load(Acquire) >= since)
    }

    /// Whether leases of a slot may be asked for: whoever serves it is there and knows all that this node was granted. How
    /// fast it answers does not matter.
    pub(crate) fn may_lease(&self, slot: Slot) -> bool {
        let is_there = |shard: Arc<Shard>| shard.link().is_some() && !shard.is_quarantined();
        self.shard(slot).is_some_and(is_there) && self.is_asserted(slot)
    }

    /// The slots whose servers have to be told what this node knows, and can be.
    pub(crate) fn to_assert(&self) -> Vec<Loss> {
        let map = self.map.load();
        if map.shards.iter().all(|shard| shard.since() == 0) && !self.slots.is_any_carried() {
            return Vec::new();
        }
        let due = map.slots().filter(|slot| {
            let is_there = |shard: &Arc<Shard>| shard.link().is_some();
            !self.is_asserted(*slot) && map.shard(*slot).is_some_and(is_there)
        });
        due.map(|slot| Loss {
            slot,
            since: self.since(slot),
            is_fresh: match map.shard(slot).is_some_and(|shard| shard.is_fresh()) {
                true => IsFresh::Yes,
                false => IsFresh::No,
            },
        })
        .collect()
    }

    /// The server of a slot has been told all that this node knew. If it was another in the meantime, or replies of the one
    /// before may still have been under way, it is told once more.
    pub(crate) fn asserted(&self, loss: Loss) {
        if loss.is_fresh == IsFresh::Yes {
            return;
        }
        if let Some(account) = self.slots.of(loss.slot) {
            account.asserted.fetch_max(loss.since, Release);
        }
    }

    /// Told when there may be something to assert.
    pub(crate) fn changes(&self) -> Arc<Notify> {
        Arc::clone(&self.means.lineages.changed)
    }

    /// A single server has one slot.
    fn told_apart(&self, slot: Slot) -> Slot {
        match self.layout() {
            Layout::Cluster => slot,
            _ => Slot::FIRST,
        }
    }
}

impl Slots {
    fn is_any_carried(&self) -> bool {
        let mut all = self.0.iter();
        all.any(|account| account.carried.load(Relaxed) > 0)
    }
}
