//! How far what a process spends reaches: how long it may count, and of what it does not know all.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tollgate_core::{Law, Limit, Timestamp};

use crate::touched::fills_in;

/// What a process says of its spending, in µs.
#[derive(Debug, Default)]
pub(crate) struct Extent {
    /// How long what it spends may count: of the longest limit that it has met.
    life: AtomicU64,
    /// The last moment of which it does not know all that it has spent; 0 if there is none.
    gap: AtomicU64,
}

impl Extent {
    pub(crate) fn life(&self) -> u64 {
        self.life.load(Relaxed)
    }

    pub(crate) fn gap(&self) -> u64 {
        self.gap.load(Relaxed)
    }

    /// Something is spent under this limit.
    pub(crate) fn meet(&self, limit: &Limit) {
        let life = life(limit);
        if self.life.load(Relaxed) < life {
            self.life.fetch_max(life, Relaxed);
        }
    }

    /// Something was spent of which it will know nothing.
    pub(crate) fn forget(&self, at: Timestamp) {
        self.gap.fetch_max(at.as_micros(), Relaxed);
    }
}

/// For how long what is spent under a limit may count, at most. Months are counted longer than any is.
fn life(limit: &Limit) -> u64 {
    let period = limit.period().length().get();
    let period = period.saturating_add(period / 10);
    match limit.law() {
        Law::SlidingWindow(_) => period.saturating_mul(2),
        Law::TokenBucket(_) | Law::LeakyBucket(_) => fills_in(limit),
        _ => period,
    }
}
