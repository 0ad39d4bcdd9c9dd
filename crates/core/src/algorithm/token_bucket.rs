//! Token bucket: bursts pass, the average holds.

use super::{Algorithm, Answer, Bucket, BucketState};
use crate::{Cost, Micros, Now};

/// At most burst + rate · t in every interval t; a request that fits passes at once.
///
/// ```
/// use tollgate_core::{Clock, Cost, Limit, ManualClock};
///
/// let (limit, now) = ("1/s".parse::<Limit>()?.with_burst(5)?, ManualClock::start().now());
/// let (five, state) = limit.step(limit.fresh(now), now, Cost::new(5));
/// let (sixth, _) = limit.step(state, now, Cost::ONE);
/// assert!(five.is_allowed() && !sixth.is_allowed());
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket(pub(crate) Bucket);

impl TokenBucket {
    /// A bucket of this rate, for reading states that were kept without their limit.
    pub const fn of_rate(units_per_micro: u64, units_per_token: u64, capacity: u64) -> Self {
        Self(Bucket::of_rate(units_per_micro, units_per_token, capacity))
    }

    /// The rate and capacity.
    pub const fn bucket(&self) -> &Bucket {
        &self.0
    }

    /// A step in 64 bits, from units missing to units missing, for a bucket that
    /// [is narrow](Bucket::is_narrow) and a debt below four times [`Bucket::NARROW_UNITS_MAX`].
    #[inline]
    pub fn step_narrow(&self, debt: u64, cost: Cost) -> (Answer, u64) {
        let look = self.0.look(debt, cost);
        (self.0.answer(&look, Micros::ZERO), look.debt_after)
    }
}

impl Algorithm for TokenBucket {
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
        let answer = self.0.answer(&look, Micros::ZERO);
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
