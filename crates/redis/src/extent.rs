//! How far what a process spends reaches: how long it may count, and of what it does not know all.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tollgate_core::{Law, Limit, Micros, Now, Timestamp};

use crate::exact::Parts;

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

/// The window that a moment is in: of buckets and logs one that is as long as anything counts.
pub(crate) fn window(limit: &Limit, at: Timestamp) -> u64 {
    let length = match limit.law() {
        Law::FixedWindow(_) | Law::SlidingWindow(_) => return limit.period().window_at(at),
        Law::TokenBucket(_) | Law::LeakyBucket(_) => fills_in(limit),
        _ => limit.period().length().get(),
    };
    at.as_micros() / length.max(1)
}

fn fills_in(limit: &Limit) -> u64 {
    Parts::of(limit, limit.law().capacity()).q.saturating_add(1)
}

/// Whether a counter that is not there may have been one that still counted: a server may have lost some at `since`.
pub(crate) fn is_perhaps_lost(limit: &Limit, since: u64, now: Now) -> bool {
    if since == 0 {
        return false;
    }
    let lost_at = Timestamp::from_micros(since);
    let period = limit.period();
    let (lost_in, present) = (period.window_at(lost_at), period.window_at(now.wall));
    let lasts = |micros: u64| now.steady.as_micros() < since.saturating_add(micros);
    match limit.law() {
        Law::FixedWindow(_) => present <= lost_in,
        Law::SlidingWindow(_) => present <= lost_in.saturating_add(1),
        Law::TokenBucket(_) | Law::LeakyBucket(_) => lasts(fills_in(limit)),
        _ => lasts(period.length().get()),
    }
}

/// The first moment at which a counter that is not there is certainly not a lost one.
pub(crate) fn doubt_ends(limit: &Limit, since: Timestamp) -> Timestamp {
    let period = limit.period();
    let lost_in = period.window_at(since);
    match limit.law() {
        Law::FixedWindow(_) => period.start_of(lost_in.saturating_add(1)),
        Law::SlidingWindow(_) => period.start_of(lost_in.saturating_add(2)),
        Law::TokenBucket(_) | Law::LeakyBucket(_) => {
            since.saturating_add(Micros::new(fills_in(limit)))
        }
        _ => since.saturating_add(period.length()),
    }
}
