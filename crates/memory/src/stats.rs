//! What the store tells about itself.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::table::Evicted;

/// A reading of the store's size and of what its bound has cost so far.
///
/// ```
/// use tollgate_core::SystemClock;
/// use tollgate_memory::MemoryStore;
///
/// let stats = MemoryStore::with_capacity(1_000, SystemClock).stats();
/// assert_eq!((stats.keys, stats.evicted_cost), (0, 0));
/// assert!(stats.capacity >= 1_000);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Slots that hold a counter, run out or not.
    pub keys: u64,
    /// Slots there are.
    pub capacity: u64,
    /// Bytes the table may come to take.
    pub bytes_max: u64,
    /// Counters in the side table.
    pub wide_keys: u64,
    /// Live counters that were dropped to make room. None of them had used half of its limit, unless it
    /// was one that keys share for want of room.
    pub evicted_keys: u64,
    /// Units those counters had admitted: how far the bound on memory may have let limits be exceeded.
    pub evicted_cost: u64,
    /// Requests answered from a counter that several keys share, since there was no room for one of
    /// their own.
    pub shared_requests: u64,
}

/// The running counts behind [`Stats`].
#[derive(Debug, Default)]
pub(crate) struct Tally {
    keys: AtomicU64,
    shared_requests: AtomicU64,
    evicted_keys: AtomicU64,
    evicted_cost: AtomicU64,
}

impl Tally {
    pub(crate) fn added(&self) {
        self.keys.fetch_add(1, Relaxed);
    }

    pub(crate) fn shared(&self) {
        self.shared_requests.fetch_add(1, Relaxed);
    }

    pub(crate) fn evicted(&self, evicted: Evicted) {
        self.evicted_keys.fetch_add(evicted.keys, Relaxed);
        self.evicted_cost.fetch_add(evicted.cost, Relaxed);
    }

    pub(crate) fn read(&self) -> Stats {
        Stats {
            keys: self.keys.load(Relaxed),
            evicted_keys: self.evicted_keys.load(Relaxed),
            evicted_cost: self.evicted_cost.load(Relaxed),
            shared_requests: self.shared_requests.load(Relaxed),
            ..Stats::default()
        }
    }
}
