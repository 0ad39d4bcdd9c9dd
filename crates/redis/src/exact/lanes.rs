//! The ways to Redis, one for each slot and one in all to a single server.
//!
//! On a lane one call on a counter is under way at a time. What is asked meanwhile travels together in the next: the hotter a key,
//! the more decisions a call takes. Since no two calls of this node on one counter overlap, their sequence is the
//! order in which Redis sees them.

use std::{
    cell::Cell,
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use redis::Value;
use smallvec::SmallVec;
use tokio::{runtime::Handle, time::timeout};
use tollgate_core::{Clock, Cost, Now};

use super::{
    Item,
    ask::{Ask, Deed, Part, Refused},
    lane::Lane,
};
use crate::{
    Journal, Layout,
    assert::Told,
    client::{Call, Cause, Client, Failure, Shard},
    inherited::Inherited,
    key::Key,
    ledger::Ledger,
    slot::Slot,
    time::Time,
    touched::Touched,
    unknown::Unknown,
};

/// Requests that wait in all lanes together.
const WAITING_MAX: usize = 65_536;
/// Calls that are under way on one lane: while Redis decides one, the next is made. No two are about one counter.
const CALLS_MAX: usize = 2;

/// Everything that decisions by Redis need.
pub(crate) struct Lanes {
    pub(crate) client: Arc<Client>,
    pub(crate) ledger: Ledger,
    /// What this node has debited, should Redis forget it.
    pub(crate) touched: Touched,
    /// The same of the processes before.
    pub(crate) inherited: Inherited,
    pub(crate) unknown: Unknown,
    pub(crate) told: Told,
    pub(crate) time: Time,
    clock: Arc<dyn Clock>,
    /// That in which the store was started: whoever asks may have another, that ends sooner.
    runtime: Handle,
    pub(super) deadline: Duration,
    /// This run of this node, in marks.
    pub(crate) node: String,
    lanes: Box<[Mutex<Lane>]>,
    waiting: AtomicUsize,
    sequence: AtomicU64,
    pub(super) counts: Counts,
}

/// A lane that is served. However that ends, by a panic in an algorithm of a user or with the runtime, it can be
/// served again, and whoever waits is answered by a policy.
struct Running {
    lanes: Arc<Lanes>,
    slot: Slot,
    /// Whether nobody waited any more.
    is_over: Cell<bool>,
}

impl Running {
    async fn serve(self) {
        self.lanes.run(self.slot).await;
        self.is_over.set(true);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.is_over.get() {
            return;
        }
        if let Some(mut lane) = self.lanes.lane(self.slot) {
            lane.calls = lane.calls.saturating_sub(1);
            lane.busy.clear();
            let left = std::mem::take(&mut lane.queue);
            self.lanes.waiting.fetch_sub(left.len(), Relaxed);
        }
    }
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
        (deadline, journal): (Duration, Journal),
    ) -> Self {
        Self {
            ledger: Ledger::default(),
            touched: Touched::with(client.extent()),
            inherited: Inherited::of(journal),
            unknown: Unknown::default(),
            told: Told::default(),
            time,
            clock,
            runtime: Handle::current(),
            deadline,
            node: client.process().to_owned(),
            lanes: (0..Slot::COUNT).map(|_| Mutex::default()).collect(),
            waiting: AtomicUsize::new(0),
            sequence: AtomicU64::new(1),
            counts: Counts::default(),
            client,
        }
    }

    pub(crate) const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The slot whose lane a counter's calls take.
    pub(crate) fn slot_of(&self, key: &Key) -> Slot {
        match self.client.layout() {
            Layout::Cluster => key.slot(),
            _ => Slot::FIRST,
        }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) const fn runtime(&self) -> &Handle {
        &self.runtime
    }

    pub(crate) const fn time(&self) -> &Time {
        &self.time
    }

    pub(crate) fn node(&self) -> &str {
        &self.node
    }

    /// Whoever is to be asked about a slot, if that makes sense at present.
    pub(crate) fn shard(&self, slot: Slot, hash: u64) -> Option<Arc<Shard>> {
        let shard = self.client.shard(slot)?;
        (shard.admits(hash) && self.client.is_asserted(slot)).then_some(shard)
    }

    /// Calls, however long that takes, and tells the breaker each time that nobody waits any longer.
    pub(super) async fn call(&self, call: &Call) -> Result<Value, Failure> {
        let mut calling = pin!(self.client.call(call));
        let mut is_late = false;
        loop {
            let shard = self.client.shard(call.slot);
            match timeout(self.deadline, &mut calling).await {
                Ok(replied) => {
                    if replied.is_ok() {
                        self.counts.calls.fetch_add(1, Relaxed);
                    }
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
            let slot = self.slot_of(&item.key);
            if self.shard(slot, 0).is_none() {
                continue;
            }
            let ask = Ask {
                deed: Deed::Settle,
                part: Part::Whole,
                items: SmallVec::from_iter([Item { cost: Cost::ZERO, former: Vec::new(), ..item }]),
                waiting: None,
            };
            if self.push(slot, ask).is_err() {
                // It stays in the ledger and has its turn later.
                return;
            }
        }
    }

    /// Whether Redis has said lately that this counter may be lost.
    pub(super) fn is_unknown(&self, item: &Item) -> bool {
        let relief = self.client.relief();
        self.unknown.has(&item.key, relief, || self.now().steady)
    }

    pub(super) fn push(self: &Arc<Self>, slot: Slot, ask: Ask) -> Result<(), Refused> {
        if self.waiting.fetch_add(1, Relaxed) >= WAITING_MAX {
            self.waiting.fetch_sub(1, Relaxed);
            return Err(Refused::Crowded);
        }
        let Some(mut lane) = self.lane(slot) else {
            return Err(Refused::Crowded);
        };
        let can_go = lane.calls < CALLS_MAX && lane.is_free(&ask);
        lane.queue.push_back(ask);
        if !can_go {
            return Ok(());
        }
        lane.calls += 1;
        drop(lane);
        let running = Running { lanes: Arc::clone(self), slot, is_over: Cell::new(false) };
        // Ends when the lane is empty, and a call ends in time.
        drop(self.runtime.spawn(running.serve()));
        Ok(())
    }

    fn lane(&self, slot: Slot) -> Option<MutexGuard<'_, Lane>> {
        let lane = self.lanes.get(usize::from(slot.get()))?;
        Some(lane.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Serves a lane until nobody waits, or those who do are waiting for another call.
    async fn run(&self, slot: Slot) {
        while let Some(asks) = self.next(slot) {
            let items = asks.iter().flat_map(|ask| &ask.items);
            let keys: Vec<Key> = items.map(|item| item.key.clone()).collect();
            if asks.first().is_some_and(Ask::is_for_scripts) {
                self.decide(slot, asks).await;
            } else {
                self.work_out(slot, asks, None).await;
            }
            if let Some(mut lane) = self.lane(slot) {
                for key in &keys {
                    lane.busy.remove(key);
                }
            }
        }
    }

    /// Those that travel next.
    fn next(&self, slot: Slot) -> Option<Vec<Ask>> {
        let mut lane = self.lane(slot)?;
        let waiting = lane.queue.len();
        let asks = lane.next();
        let gone = waiting.saturating_sub(lane.queue.len());
        self.waiting.fetch_sub(gone, Relaxed);
        asks
    }

    pub(crate) const fn sequence(&self) -> &AtomicU64 {
        &self.sequence
    }

    pub(crate) fn next_sequence(&self) -> u64 {
        self.sequence.fetch_add(1, Relaxed)
    }

    pub(crate) fn now(&self) -> Now {
        self.clock.now()
    }
}
