//! The ways to Redis, one for each slot and one in all to a single server.
//!
//! On a lane one call is under way at a time. What is asked meanwhile travels together in the next: the hotter a key,
//! the more decisions a call takes. Since no two calls of this node on one counter overlap, their sequence is the
//! order in which Redis sees them.

use std::{
    collections::VecDeque,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use redis::Value;
use smallvec::SmallVec;
use tokio::time::timeout;
use tollgate_core::{Clock, Cost, Now};

use super::{
    Item,
    ask::{Ask, Deed, Part, Refused},
};
use crate::{
    Layout,
    client::{Call, Cause, Client, Failure, Shard},
    ledger::Ledger,
    slot::Slot,
    time::Time,
};

/// Requests that wait in all lanes together.
const WAITING_MAX: usize = 65_536;
/// Requests that travel in one call: more would keep Redis from everybody else for too long.
const TOGETHER_MAX: usize = 128;

/// Everything that decisions by Redis need.
pub(crate) struct Lanes {
    pub(super) client: Arc<Client>,
    pub(crate) ledger: Ledger,
    pub(super) time: Time,
    clock: Arc<dyn Clock>,
    deadline: Duration,
    /// This run of this node, in marks.
    pub(super) node: String,
    lanes: Box<[Mutex<Lane>]>,
    waiting: AtomicUsize,
    sequence: AtomicU64,
    pub(super) counts: Counts,
}

#[derive(Debug, Default)]
struct Lane {
    queue: VecDeque<Ask>,
    is_running: bool,
}

/// What has happened.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) calls: AtomicU64,
    pub(crate) decisions: AtomicU64,
    pub(crate) late: AtomicU64,
    pub(crate) conflicts: AtomicU64,
    pub(crate) foreign: AtomicU64,
}

impl std::fmt::Debug for Lanes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lanes").finish_non_exhaustive()
    }
}

impl Lanes {
    pub(crate) fn new(
        client: Arc<Client>,
        time: Time,
        clock: Arc<dyn Clock>,
        deadline: Duration,
    ) -> Self {
        Self {
            client,
            ledger: Ledger::default(),
            time,
            clock,
            deadline,
            node: run_id(),
            lanes: (0..Slot::COUNT).map(|_| Mutex::default()).collect(),
            waiting: AtomicUsize::new(0),
            sequence: AtomicU64::new(1),
            counts: Counts::default(),
        }
    }

    pub(crate) const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The slot whose lane a counter's calls take.
    pub(crate) fn slot_of(&self, item: &Item) -> Slot {
        match self.client.layout() {
            Layout::Cluster => item.key.slot(),
            _ => Slot::FIRST,
        }
    }

    /// Whoever is to be asked about a slot, if that makes sense at present.
    pub(crate) fn shard(&self, slot: Slot, hash: u64) -> Option<Arc<Shard>> {
        let shard = self.client.shard(slot)?;
        shard.admits(hash).then_some(shard)
    }

    /// Calls, however long that takes, and tells the breaker each time that nobody waits any longer.
    pub(super) async fn call(&self, call: &Call) -> Result<Value, Failure> {
        let mut calling = pin!(self.client.call(call));
        let mut is_late = false;
        loop {
            let shard = self.client.shard(call.slot);
            match timeout(self.deadline, &mut calling).await {
                Ok(replied) => {
                    self.counts.calls.fetch_add(1, Relaxed);
                    if let Some(shard) = shard.filter(|_| replied.is_ok() && !is_late) {
                        shard.succeeded();
                    }
                    return replied;
                }
                Err(_) => {
                    is_late = true;
                    if let Some(shard) = shard {
                        shard.failed(Cause::Silent);
                    }
                }
            }
        }
    }

    /// Lets the ledger's entries on these counters travel, for nobody in particular.
    pub(crate) fn settle(self: &Arc<Self>, items: impl IntoIterator<Item = Item>) {
        for item in items {
            let slot = self.slot_of(&item);
            let is_reachable = self.client.shard(slot).is_some_and(|shard| shard.admits(0));
            if !is_reachable {
                continue;
            }
            let ask = Ask {
                deed: Deed::Settle,
                part: Part::Whole,
                items: SmallVec::from_iter([Item {
                    cost: Cost::ZERO,
                    former: Vec::new(),
                    ..item
                }]),
                waiting: None,
            };
            if self.push(slot, ask).is_err() {
                // It stays in the ledger and has its turn later.
                return;
            }
        }
    }

    pub(super) fn push(self: &Arc<Self>, slot: Slot, ask: Ask) -> Result<(), Refused> {
        if self.waiting.fetch_add(1, Relaxed) >= WAITING_MAX {
            self.waiting.fetch_sub(1, Relaxed);
            return Err(Refused::Crowded);
        }
        let Some(mut lane) = self.lane(slot) else {
            return Err(Refused::Crowded);
        };
        lane.queue.push_back(ask);
        if std::mem::replace(&mut lane.is_running, true) {
            return Ok(());
        }
        drop(lane);
        let lanes = Arc::clone(self);
        #[expect(
            clippy::disallowed_methods,
            reason = "ends when the lane is empty, and a call ends in time"
        )]
        drop(tokio::spawn(async move { lanes.run(slot).await }));
        Ok(())
    }

    fn lane(&self, slot: Slot) -> Option<MutexGuard<'_, Lane>> {
        let lane = self.lanes.get(usize::from(slot.get()))?;
        Some(lane.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Serves a lane until nobody waits.
    async fn run(self: Arc<Self>, slot: Slot) {
        while let Some(asks) = self.next(slot) {
            let first = asks.first();
            if first.is_some_and(Ask::is_for_scripts) {
                self.decide(slot, asks).await;
            } else {
                self.work_out(slot, asks, None).await;
            }
        }
    }

    /// Those that travel next: the first, and what can go with it.
    fn next(&self, slot: Slot) -> Option<Vec<Ask>> {
        let mut lane = self.lane(slot)?;
        let mut asks: Vec<Ask> = Vec::new();
        while let Some(ask) = lane.queue.front() {
            let is_other = asks
                .first()
                .is_some_and(|first| first.is_for_scripts() != ask.is_for_scripts());
            if is_other || asks.len() == TOGETHER_MAX {
                break;
            }
            let Some(ask) = lane.queue.pop_front() else {
                break;
            };
            self.waiting.fetch_sub(1, Relaxed);
            if !ask.is_abandoned() {
                asks.push(ask);
            }
        }
        if asks.is_empty() {
            lane.is_running = false;
            return None;
        }
        Some(asks)
    }

    pub(super) fn next_sequence(&self) -> u64 {
        self.sequence.fetch_add(1, Relaxed)
    }

    pub(super) fn now(&self) -> Now {
        self.clock.now()
    }
}

/// Names this run of this node: nobody else's marks are taken for ours.
fn run_id() -> String {
    format!("n{:016x}", RandomState::new().build_hasher().finish())
}
