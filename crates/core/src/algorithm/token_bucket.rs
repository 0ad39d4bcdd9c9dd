//! Token bucket: bursts pass, the average holds.

use super::{Algorithm, Answer, Bucket, BucketState, Outcome, bucket::Look};
use crate::{Cost, Micros, Now};

/// At most burst + rate · t in every interval t; a request that fits passes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket(pub(crate) Bucket);

impl TokenBucket {
    /// A bucket of this rate, for reading states that were kept without their limit.
    pub fn of_rate(units_per_micro: u64, units_per_token: u64, capacity: u64) -> Self {
        Self(Bucket::of_rate(units_per_micro, units_per_token, capacity))
    }

    /// The rate and capacity.
    pub const fn bucket(&self) -> &Bucket {
        &self.0
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
        let look = self.0.look(state, now.steady, cost);
        (answer(&self.0, &look, Micros::ZERO), look.state)
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

#[inline]
pub(super) fn answer(bucket: &Bucket, look: &Look, delay: Micros) -> Answer {
    let outcome = match look.refused {
        None => Outcome::Allow { delay },
        Some(missing) => Outcome::Deny {
            retry_after: missing.map(|units| bucket.time(units)),
        },
    };
    Answer {
        outcome,
        used: bucket.tokens(look.debt_after),
        reset_after: bucket.time(look.debt_after),
    }
}
