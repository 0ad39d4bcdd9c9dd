//! What the store tells about itself.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tollgate_core::RuleId;

use crate::overflow::ODDS_MAX;

/// A reading of the store's size and of what its bound has cost so far.
///
/// ```
/// use tollgate_core::SystemClock;
/// use tollgate_memory::MemoryStore;
///
/// let stats = MemoryStore::with_capacity(1_000, SystemClock).stats();
/// assert_eq!((stats.keys, stats.evicted_keys), (0, 0));
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
    /// Live counters that gave up their place for another's. What they had used stays in a sketch.
    pub evicted_keys: u64,
    /// Requests of keys that were counted in a sketch.
    pub estimated_requests: u64,
    /// Bytes the sketches take.
    pub overflow_bytes: u64,
    /// The most they may come to take.
    pub overflow_bytes_max: u64,
}

/// A rule with more keys than the table has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleOverflow {
    /// Which rule; `None` for sketches that several share.
    pub rule: Option<RuleId>,
    /// Its keys that a sketch counts; a key with several limits counts several times.
    pub keys: u64,
    /// The odds that a key of it which has used nothing is taken to have used something, in millionths.
    pub odds_millionths: u64,
    /// Bytes its sketches take.
    pub bytes: usize,
}

impl RuleOverflow {
    pub(crate) const fn of(rule: Option<RuleId>) -> Self {
        Self { rule, keys: 0, odds_millionths: 0, bytes: 0 }
    }

    /// Whether the odds are above one in a hundred: the failure policy of the rule then answers for keys that are
    /// taken for others.
    pub const fn is_unreliable(&self) -> bool {
        self.odds_millionths > ODDS_MAX
    }
}

/// The running counts behind [`Stats`].
#[derive(Debug, Default)]
pub(crate) struct Tally {
    keys: AtomicU64,
    evicted_keys: AtomicU64,
    estimated_requests: AtomicU64,
}

impl Tally {
    pub(crate) fn added(&self) {
        self.keys.fetch_add(1, Relaxed);
    }

    pub(crate) fn evicted(&self) {
        self.evicted_keys.fetch_add(1, Relaxed);
    }

    pub(crate) fn estimated(&self) {
        self.estimated_requests.fetch_add(1, Relaxed);
    }

    pub(crate) fn read(&self) -> Stats {
        Stats {
            keys: self.keys.load(Relaxed),
            evicted_keys: self.evicted_keys.load(Relaxed),
            estimated_requests: self.estimated_requests.load(Relaxed),
            ..Stats::default()
        }
    }
}
