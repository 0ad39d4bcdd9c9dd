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
use tollgate_core::Timestamp;

use super::{
    call::{Cause, Failure},
    client::Client,
    enrolment::Trust,
    link::PATIENCE,
    map::Map,
    shard::Shard,
};
use crate::{Layout, Peer, slot::Slot};

/// The slots, as far as losses are concerned.
pub(super) struct Slots(Box<[Account]>);

#[derive(Default)]
struct Account {
    /// Whether anybody has ever served it.
    was_served: AtomicBool,
    /// The time of Redis since which those who served it may have lost some of its counters.
    carried: AtomicU64,
    /// The last moment at which a process may have spent what they had lost, and had not told.
    doubt_carried: AtomicU64,
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
            let doubt = from.doubt_since();
            account.doubt_carried.fetch_max(doubt, Release);
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

    /// The last moment, by the time of Redis in µs, at which a process may have spent of a counter of this slot what was
    /// lost and is not told; 0 if none may have.
    pub(crate) fn doubt(&self, slot: Slot) -> u64 {
        let slot = self.told_apart(slot);
        let Some(shard) = self.shard(slot) else {
            return self.since(slot);
        };
        let account = self.slots.of(slot);
        let carried = account.map_or(0, |account| account.doubt_carried.load(Acquire));
        // A process that has told a later loss has told all that it knew.
        if carried == 0 || shard.term_begun() >= carried {
            return shard.doubt_since();
        }
        shard.doubt_since().max(carried)
    }

    /// When counters of this slot were last lost, even if all was told again; 0 if never.
    pub(crate) fn lost_at(&self, slot: Slot) -> u64 {
        let slot = self.told_apart(slot);
        let term = self.shard(slot).map_or(0, |shard| shard.term_begun());
        self.since(slot).max(term)
    }

    /// Whether it cannot be said now what is left of the counters of a slot, though its server is there.
    pub(crate) fn is_being_told(&self, slot: Slot) -> bool {
        let is_kept_out = |shard: Arc<Shard>| shard.link().is_some() && shard.is_quarantined();
        self.shard(slot).is_some_and(is_kept_out) || !self.is_asserted(slot)
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

    /// Marks in the registers of those servers to which this node has told everything that it has.
    pub(crate) async fn mark_told(&self) {
        let map = self.map.load_full();
        for shard in &map.shards {
            let since = shard.since();
            let is_told = since > 0 && map.slots_of(shard).all(|slot| self.is_asserted(slot));
            if is_told
                && shard.has_told(since)
                && let Some(link) = shard.link()
            {
                let heard = shard.enrol(&link, PATIENCE).await;
                tracing::debug!(
                    ?heard,
                    "said that all is told; if unheard, said again within a second"
                );
            }
        }
    }

    /// The time of Redis as registers have told it last; of several servers that of the one that is behind.
    pub(crate) fn heard_time(&self) -> Timestamp {
        let map = self.map.load();
        let there = map.shards.iter().filter(|shard| shard.link().is_some());
        let times = there.filter_map(|shard| shard.register_time());
        Timestamp::from_micros(times.min().unwrap_or(0))
    }

    /// Learns of processes that others have seen.
    pub(crate) fn hear_of(&self, peers: &[Peer]) {
        let means = &self.means;
        means.lineages.roll.hear_of(peers, means.clock.boot());
    }

    /// No process is awaited any longer, on any server: what may be lost counts as never spent.
    pub(crate) async fn trust(&self) -> Result<(), Failure> {
        let map = self.map.load_full();
        for shard in &map.shards {
            let Some(link) = shard.link() else {
                return Err(Failure::NotRun(shard.absence()));
            };
            match shard.enrol_with(&link, PATIENCE, Trust::Yes).await {
                Ok(Ok(())) => {}
                Ok(Err(cause)) => return Err(Failure::NotRun(cause)),
                Err(_) => return Err(Failure::InDoubt(Cause::Silent)),
            }
        }
        Ok(())
    }

    /// How often doubt has become less.
    pub(crate) fn relief(&self) -> u64 {
        self.means.lineages.roll.relief.load(Relaxed)
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
