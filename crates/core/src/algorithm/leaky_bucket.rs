//! Leaky bucket: requests leave evenly spaced, a queue of them may wait.

use super::{Algorithm, Answer, Bucket, BucketState, token_bucket::answer};
use crate::{Cost, Micros, Now};

/// Shapes traffic: an admitted request is told how long to wait so that requests leave one interval
/// apart. One leaves at once and `burst` more may wait; the next is denied.
///
/// A request of cost c leaves when those before it have left, and keeps the way busy for c intervals.
/// A refund gives the last place in the queue back; it does not hurry those who already wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeakyBucket(pub(crate) Bucket);

impl LeakyBucket {
    /// A bucket of this rate, for reading states that were kept without their limit.
    pub fn of_rate(units_per_micro: u64, units_per_token: u64, capacity: u64) -> Self {
        Self(Bucket::of_rate(units_per_micro, units_per_token, capacity))
    }

    /// The rate and the queue.
    pub const fn bucket(&self) -> &Bucket {
        &self.0
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
        let look = self.0.look(state, now.steady, cost);
        // What is owed before this request is the time until the way is free for it.
        let delay = if cost.is_zero() {
            Micros::ZERO
        } else {
            self.0.time(look.debt)
        };
        (answer(&self.0, &look, delay), look.state)
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
