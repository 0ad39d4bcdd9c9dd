//! The arithmetic that both buckets share, exact for every rate.
//!
//! A bucket that gains `amount` tokens per `period` microseconds is counted in units of which a
//! token is worth `period` and a microsecond gives `amount`. Both are whole numbers, so no rate is
//! ever rounded. The state is one number: the moment, in those units, at which the bucket will be
//! full again (the theoretical arrival time of GCRA).

use crate::{
    Cost, Micros, Period, Timestamp,
    math::{div_ceil, div_floor, gcd, mul},
};

/// A rate and a capacity, in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Units gained per microsecond.
    amount: u64,
    /// Units one token is worth.
    period: u64,
    /// Tokens the bucket holds.
    capacity: u64,
    /// Units the bucket holds when full.
    span: u128,
    /// The period of the limit as written: how far a clock may be set back before the bucket
    /// re-bases.
    length: Micros,
}

/// When the bucket is full again, in the bucket's units since the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BucketState {
    /// The moment times the amount.
    pub full_at: u128,
}

/// What a bucket finds when it is asked for some tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// Units missing before the request.
    pub(super) debt: u128,
    /// Units missing after it, if it was allowed; equal to `debt` otherwise.
    pub(super) debt_after: u128,
    /// `None` if allowed; otherwise the units to gain first, or `None` if that never suffices.
    pub(super) refused: Option<Option<u128>>,
    pub(super) state: BucketState,
}

impl Bucket {
    pub(crate) fn new(amount: u64, period: Period, capacity: u64) -> Self {
        let micros = period.length().get();
        let common = gcd(amount, micros);
        let lowest = |number: u64| number.checked_div(common).unwrap_or(number);
        let token = lowest(micros);
        Self {
            amount: lowest(amount),
            period: token,
            capacity,
            span: mul(capacity, token),
            length: period.length(),
        }
    }

    /// A bucket of this rate that is never asked, for reading the states of buckets that were.
    pub(crate) fn of_rate(units_per_micro: u64, units_per_token: u64, capacity: u64) -> Self {
        let (amount, period) = (units_per_micro, units_per_token);
        Self {
            amount,
            period,
            capacity,
            span: mul(capacity, period),
            length: Micros::MAX,
        }
    }

    /// Units gained per microsecond.
    pub const fn units_per_micro(&self) -> u64 {
        self.amount
    }

    /// Units one token is worth.
    pub const fn units_per_token(&self) -> u64 {
        self.period
    }

    /// Tokens the bucket holds when full.
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Units the bucket holds when full.
    #[inline]
    pub const fn span(&self) -> u128 {
        self.span
    }

    /// The period of the limit as written.
    #[inline]
    pub const fn length(&self) -> Micros {
        self.length
    }

    /// A moment in the bucket's units.
    #[inline]
    pub fn units_at(&self, at: Timestamp) -> u128 {
        mul(at.as_micros(), self.amount)
    }

    pub(super) fn fresh(&self, now: Timestamp) -> BucketState {
        BucketState {
            full_at: self.units_at(now),
        }
    }

    #[inline]
    pub(super) fn look(&self, state: BucketState, now: Timestamp, cost: Cost) -> Look {
        let now = self.units_at(now);
        let span = self.span();
        let mut debt = state.full_at.saturating_sub(now);
        let mut state = state;
        // D7: more debt than a full bucket plus one period cannot be earned, only inherited from a
        // clock that was ahead or a larger burst.
        if debt > span && debt.saturating_sub(span) > self.window() {
            debt = span;
            state.full_at = now.saturating_add(span);
        }
        let debt_after = debt.saturating_add(mul(cost.get(), self.period));
        if debt_after <= span || cost.is_zero() {
            if !cost.is_zero() {
                state.full_at = now.saturating_add(debt_after);
            }
            return Look {
                debt,
                debt_after,
                refused: None,
                state,
            };
        }
        let missing = (cost.get() <= self.capacity).then(|| debt_after.saturating_sub(span));
        Look {
            debt,
            debt_after: debt,
            refused: Some(missing),
            state,
        }
    }

    /// Units gained in one period of the limit as written.
    fn window(&self) -> u128 {
        mul(self.length.get(), self.amount)
    }

    /// Tokens missing for this many units, rounded up.
    #[inline]
    pub(super) fn tokens(&self, units: u128) -> u64 {
        div_ceil(units, self.period)
    }

    /// Time until this many units are gained, rounded up: never admit faster than promised.
    #[inline]
    pub(super) fn time(&self, units: u128) -> Micros {
        Micros::new(div_ceil(units, self.amount))
    }

    pub(super) fn used(&self, state: BucketState, now: Timestamp) -> u64 {
        self.tokens(state.full_at.saturating_sub(self.units_at(now)))
    }

    pub(super) fn admitted(&self, used: u64, now: Timestamp) -> BucketState {
        BucketState {
            full_at: self.units_at(now).saturating_add(mul(used, self.period)),
        }
    }

    pub(super) fn refund(&self, state: BucketState, now: Timestamp, cost: Cost) -> BucketState {
        let credited = state.full_at.saturating_sub(mul(cost.get(), self.period));
        // A state in the past is full already, and stays as it is.
        BucketState {
            full_at: credited.max(self.units_at(now).min(state.full_at)),
        }
    }

    pub(super) fn is_fresh(&self, state: BucketState, now: Timestamp) -> bool {
        state.full_at <= self.units_at(now)
    }

    pub(super) fn has_rate_of(&self, other: &Self) -> bool {
        (self.amount, self.period) == (other.amount, other.period)
    }

    /// D14: the tokens missing under `former` are missing here, to the last fraction rounded up.
    pub(super) fn adopt(&self, former: &Self, state: BucketState, now: Timestamp) -> BucketState {
        let debt = state.full_at.saturating_sub(former.units_at(now));
        let whole = div_floor(debt, former.period);
        let part = debt.saturating_sub(mul(whole, former.period));
        let part = u64::try_from(part).unwrap_or(former.period);
        let part = u128::from(div_ceil(mul(part, self.period), former.period));
        let debt = mul(whole, self.period).saturating_add(part);
        BucketState {
            full_at: self.units_at(now).saturating_add(debt),
        }
    }
}
