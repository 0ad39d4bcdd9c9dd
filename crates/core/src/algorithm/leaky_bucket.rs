//! Leaky bucket: requests leave evenly spaced, a queue of them may wait.

use super::{Algorithm, Answer, Bucket, BucketState, bucket::Look};
use crate::{Cost, Micros, Now, math::Units};

/// Shapes traffic: an admitted request is told how long to wait so that requests leave one interval
/// apart. One leaves at once and `burst` more may wait; the next is denied.
///
/// A request of cost c leaves when those before it have left, and keeps the way busy for c intervals.
/// A refund gives the last place in the queue back; it does not hurry those who already wait.
///
/// ```
/// use std::time::Duration;
/// use tollgate_core::{AlgorithmName, Clock, Cost, Limit, ManualClock};
///
/// let limit = "10/s".parse::<Limit>()?.with_algorithm(AlgorithmName::LeakyBucket)?.with_burst(1)?;
/// let now = ManualClock::start().now();
/// let (first, state) = limit.step(limit.fresh(now), now, Cost::ONE);
/// let (second, _) = limit.step(state, now, Cost::ONE);
/// assert_eq!((first.delay(), second.delay()), (Duration::ZERO, Duration::from_millis(100)));
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeakyBucket(pub(crate) Bucket);

impl LeakyBucket {
    /// A bucket of this rate, for reading states that were kept without their limit.
    pub const fn of_rate(units_per_micro: u64, units_per_token: u64, capacity: u64) -> Self {
        Self(Bucket::of_rate(units_per_micro, units_per_token, capacity))
    }

    /// The rate and the queue.
    pub const fn bucket(&self) -> &Bucket {
        &self.0
    }

    /// A step in 64 bits, from units missing to units missing, for a bucket that
    /// [is narrow](Bucket::is_narrow) and a debt below four times [`Bucket::NARROW_UNITS_MAX`].
    #[inline]
    pub fn step_narrow(&self, debt: u64, cost: Cost) -> (Answer, u64) {
        let look = self.0.look(debt, cost);
        (self.0.answer(&look, self.delay(&look, cost)), look.debt_after)
    }

    /// What is owed before a request is the time until the way is free for it.
    #[inline]
    fn delay<U: Units>(&self, look: &Look<U>, cost: Cost) -> Micros {
        if cost.is_zero() || cfg!(mutant = "leaky-bucket-does-not-shape") {
            Micros::ZERO
        } else {
            self.0.time(look.debt)
        }
    }
}

impl Algorithm for LeakyBucket {
    type State = BucketState;

    #[inline]
    fn capacity(&self) -> u64 {
        self.0.capacity()
    }

    #[inline]
    fn fresh(&self, now: Now) -> BucketState {
        self.0.fresh(now.steady)
    }

    #[inline]
    fn step(&self, state: BucketState, now: Now, cost: Cost) -> (Answer, BucketState) {
        let state = self.0.rebased(state, now.steady);
        let look = self.0.look(self.0.debt(state, now.steady), cost);
        let answer = self.0.answer(&look, self.delay(&look, cost));
        (answer, self.0.after(state, &look, now.steady))
    }

    fn used(&self, state: &BucketState, now: Now) -> u64 {
        self.0.used(*state, now.steady)
    }

    fn admitted(&self, used: u64, now: Now) -> BucketState {
        self.0.admitted(used, now.steady)
    }

    fn refund(&self, state: BucketState, now: Now, cost: Cost) -> BucketState {
        self.0.refund(state, now.steady, cost)
    }

    #[inline]
    fn is_fresh(&self, state: &BucketState, now: Now) -> bool {
        self.0.is_fresh(*state, now.steady)
    }
}
