//! The numbers of a key that this node leases, as its callers see them.

use std::sync::atomic::Ordering::Relaxed;

use tollgate_core::{Answer, Decision, Law, Limit, Micros, Outcome, Timestamp};

use super::line::Line;

/// What a key shows with so many tokens left here.
#[inline]
pub(super) fn shown(limit: &Limit, line: &Line, left: u64, boot: Timestamp) -> Decision {
    let capacity = limit.law().capacity();
    let remaining = left.saturating_add(line.left.load(Relaxed));
    let reset_at = Timestamp::from_micros(line.reset_at.load(Relaxed));
    limit.decide(Answer {
        outcome: Outcome::ALLOW,
        used: capacity.saturating_sub(remaining),
        reset_after: reset_at.since(boot),
    })
}

/// When a bucket that is full at a moment has so many tokens; `None` if it never has.
pub(super) fn bucket_has(law: &Law, cost: u64, full_at: Timestamp) -> Option<Timestamp> {
    let Law::TokenBucket(law) = law else {
        return Some(Timestamp::from_micros(0));
    };
    let bucket = law.bucket();
    let spare = u128::from(bucket.capacity().checked_sub(cost)?);
    let units = spare * u128::from(bucket.units_per_token());
    let micros = units.checked_div(bucket.units_per_micro().into())?;
    Some(full_at.saturating_sub(Micros::new(u64::try_from(micros).ok()?)))
}
