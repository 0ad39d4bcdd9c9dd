//! What admissions are added up by.

use smallvec::SmallVec;
use tollgate_core::{Law, Limit, Micros, Now};

use crate::record;

/// How long a slot of a bucket is: so much of its rate is not seen if it is exceeded.
pub(super) const BUCKET_SLOT: Micros = Micros::from_secs(1);

/// How long after the moment that it is told with something may have been admitted.
pub(super) const LATE_MAX: Micros = Micros::from_secs(3);

/// What a bucket gave in a longer span without a look at the time is not told: it may be later than that.
pub(super) const BLIND_MAX: Micros = Micros::from_millis(2_500);

/// The slots of a bucket that still take reports. What is told later than that is lost.
pub(super) const OPEN_SLOTS: u64 = 16;

/// The most slots of one key that await a report, while Redis is away.
const SLOTS_MAX: usize = 16;

/// Units by slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Slots(SmallVec<[(u64, u64); 2]>);

/// The slot that a moment of Redis is in: a window, or a part of the time of a bucket.
pub(super) fn slot_of(limit: &Limit, at: Now) -> u64 {
    match is_bucket(limit) {
        true => at.steady.as_micros() / BUCKET_SLOT.get(),
        false => limit.period().window_at(at.wall),
    }
}

/// Whether a limit is counted by time, and not by windows.
pub(super) fn is_bucket(limit: &Limit) -> bool {
    matches!(limit.law(), Law::TokenBucket(_) | Law::LeakyBucket(_))
}

/// Whether anything can be said of a limit.
pub(super) fn is_verifiable(limit: &Limit) -> bool {
    let is_known = matches!(
        limit.law(),
        Law::FixedWindow(_) | Law::SlidingWindow(_) | Law::TokenBucket(_) | Law::LeakyBucket(_)
    );
    is_known && record::is_for_scripts(limit)
}

impl Slots {
    pub(super) fn add(&mut self, slot: u64, units: u64) {
        if units == 0 {
            return;
        }
        if let Some((_, sum)) = self.0.iter_mut().find(|(known, _)| *known == slot) {
            *sum = sum.saturating_add(units);
            return;
        }
        if self.0.len() >= SLOTS_MAX {
            // The oldest is told of least: without it sums are smaller, and no alarm is false.
            self.0.remove(0);
        }
        self.0.push((slot, units));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().copied()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
