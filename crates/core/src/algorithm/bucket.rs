//! The arithmetic that both buckets share, exact for every rate.
//!
//! A bucket that gains `amount` tokens per `period` microseconds is counted in units of which a
//! token is worth `period` and a microsecond gives `amount`. Both are whole numbers, so no rate is
//! ever rounded. The state is one number: the moment, in those units, at which the bucket will be
//! full again (the theoretical arrival time of GCRA). What is missing until then is its debt.

use super::{Answer, Outcome};
use crate::{
    Cost, Micros, Period, Timestamp,
    math::{Divisor, Units, div_ceil, div_floor, gcd, mul},
};

/// A rate and a capacity, in lowest terms.
///
/// ```
/// use tollgate_core::{Law, Limit};
///
/// let limit = "100/min".parse::<Limit>()?.with_burst(20)?;
/// let Law::TokenBucket(token) = limit.law() else { unreachable!("a burst makes a token bucket") };
/// assert_eq!(token.bucket().units_per_token(), 600_000); // one every 600 ms
/// assert_eq!(token.bucket().capacity(), 20);
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Units gained per microsecond.
    amount: Divisor,
    /// Units one token is worth.
    period: Divisor,
    /// Tokens the bucket holds.
    capacity: u64,
    /// The period of the limit as written: how far a clock may be set back before the bucket
    /// re-bases.
    length: Micros,
    is_narrow: bool,
}

/// When the bucket is full again, in the bucket's units since the epoch.
///
/// ```
/// use tollgate_core::{Clock, Limit, ManualClock, State};
///
/// let now = ManualClock::start().now();
/// let limit = "1/s".parse::<Limit>()?.with_burst(5)?;
/// let State::Bucket(full) = limit.fresh(now) else { unreachable!("the state of a bucket") };
/// assert_eq!((full.full_at, full.at), (u128::from(now.steady.as_micros()), now.steady));
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BucketState {
    /// The moment times the amount.
    pub full_at: u128,
    /// When this was last true: tells a clock that was set back from a burst that was lowered.
    pub at: Timestamp,
}

/// What a bucket finds when it is asked for some tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look<U> {
    /// Units missing before the request.
    pub(super) debt: U,
    /// Units missing after it.
    pub(super) debt_after: U,
    /// `None` if allowed; otherwise the units to gain first, or `None` if that never suffices.
    refused: Option<Option<U>>,
}

impl Bucket {
    /// The largest amount, in lowest terms, of a narrow bucket.
    pub const NARROW_AMOUNT_MAX: u64 = 32;
    /// What a full narrow bucket holds, and what it gains in a period, are both below this.
    pub const NARROW_UNITS_MAX: u64 = 1 << 48;

    pub(crate) fn new(amount: u64, period: Period, capacity: u64) -> Self {
        let micros = period.length().get();
        let common = gcd(amount, micros);
        let lowest = |number: u64| number.checked_div(common).unwrap_or(number);
        let (amount, token) = (lowest(amount), lowest(micros));
        let (span, window) = (mul(capacity, token), mul(micros, amount));
        let is_narrow = amount <= Self::NARROW_AMOUNT_MAX
            && span.max(window) < u128::from(Self::NARROW_UNITS_MAX);
        Self {
            amount: Divisor::new(amount),
            period: Divisor::new(token),
            capacity,
            length: period.length(),
            is_narrow,
        }
    }

    /// A bucket of this rate that is never asked, for reading the states of buckets that were.
    pub(crate) const fn of_rate(units_per_micro: u64, units_per_token: u64, capacity: u64) -> Self {
        Self {
            amount: Divisor::new(units_per_micro),
            period: Divisor::new(units_per_token),
            capacity,
            length: Micros::MAX,
            is_narrow: false,
        }
    }

    /// Units gained per microsecond.
    pub const fn units_per_micro(&self) -> u64 {
        self.amount.get()
    }

    /// Units one token is worth.
    pub const fn units_per_token(&self) -> u64 {
        self.period.get()
    }

    /// Tokens the bucket holds when full.
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The period of the limit as written.
    pub const fn length(&self) -> Micros {
        self.length
    }

    /// Whether debts and moments of this bucket fit 64 bits.
    #[inline]
    pub const fn is_narrow(&self) -> bool {
        self.is_narrow
    }

    /// A moment in the bucket's units.
    #[inline]
    pub fn units_at(&self, at: Timestamp) -> u128 {
        mul(at.as_micros(), self.amount.get())
    }

    /// Decides on `cost` tokens when `debt` units are missing.
    #[inline]
    pub(super) fn look<U: Units>(&self, debt: U, cost: Cost) -> Look<U> {
        let span = U::product(self.capacity, self.period.get());
        if cost.get() > self.capacity {
            return Look { debt, debt_after: debt, refused: Some(None) };
        }
        let debt_after = debt.plus(U::product(cost.get(), self.period.get()));
        if debt_after > span && !cost.is_zero() {
            return Look { debt, debt_after: debt, refused: Some(Some(debt_after.minus(span))) };
        }
        Look { debt, debt_after, refused: None }
    }

    #[inline]
    pub(super) fn answer<U: Units>(&self, look: &Look<U>, delay: Micros) -> Answer {
        let outcome = match look.refused {
            None => Outcome::Allow { delay },
            Some(missing) => Outcome::Deny { retry_after: missing.map(|units| self.time(units)) },
        };
        let used = look.debt_after.div_ceil(self.period);
        Answer { outcome, used, reset_after: self.time(look.debt_after) }
    }

    /// Time until this many units are gained, rounded up: never admit faster than promised.
    #[inline]
    pub(super) fn time<U: Units>(&self, units: U) -> Micros {
        let early = u64::from(cfg!(mutant = "bucket-retry-one-tick-early"));
        Micros::new(units.div_ceil(self.amount).saturating_sub(early))
    }

    pub(super) fn fresh(&self, now: Timestamp) -> BucketState {
        BucketState { full_at: self.units_at(now), at: now }
    }

    #[inline]
    pub(super) fn debt(&self, state: BucketState, now: Timestamp) -> u128 {
        state.full_at.saturating_sub(self.units_at(now))
    }

    /// D7: a state from more than a period ahead was left by a clock that has been set back since. Its
    /// debt of then is its debt now.
    #[inline]
    pub(super) fn rebased(&self, state: BucketState, now: Timestamp) -> BucketState {
        if state.at.since(now) <= self.length {
            return state;
        }
        self.owing(self.debt(state, state.at), now)
    }

    /// The state after a look at it; bit-equal if nothing was taken.
    #[inline]
    pub(super) fn after(
        &self,
        state: BucketState,
        look: &Look<u128>,
        now: Timestamp,
    ) -> BucketState {
        // A late thread does not turn the state's time back.
        let at = state.at.max(now);
        if look.debt_after == look.debt {
            return state;
        }
        BucketState { at, ..self.owing(look.debt_after, now) }
    }

    fn owing(&self, debt: u128, now: Timestamp) -> BucketState {
        BucketState { full_at: self.units_at(now).saturating_add(debt), at: now }
    }

    pub(super) fn used(&self, state: BucketState, now: Timestamp) -> u64 {
        div_ceil(self.debt(state, now), self.period.get())
    }

    /// A bucket is never further than one period from being merely empty, whatever was admitted under
    /// another limit: a much lower rate does not lock a key out for ages.
    pub(super) fn admitted(&self, used: u64, now: Timestamp) -> BucketState {
        self.owing(mul(used, self.period.get()).min(self.debt_max()), now)
    }

    fn debt_max(&self) -> u128 {
        let window = mul(self.length.get(), self.amount.get());
        mul(self.capacity, self.period.get()).saturating_add(window)
    }

    pub(super) fn refund(&self, state: BucketState, now: Timestamp, cost: Cost) -> BucketState {
        let credited = state.full_at.saturating_sub(mul(cost.get(), self.period.get()));
        // A state in the past is full already, and stays as it is.
        let full_at = credited.max(self.units_at(now).min(state.full_at));
        #[cfg(mutant = "bucket-refund-beyond-full")]
        let full_at = credited;
        BucketState { full_at, ..state }
    }

    pub(super) fn is_fresh(&self, state: BucketState, now: Timestamp) -> bool {
        state.full_at <= self.units_at(now)
    }

    pub(super) fn has_rate_of(&self, other: &Self) -> bool {
        (self.amount, self.period) == (other.amount, other.period)
    }

    /// D14: the tokens missing under `former` are missing here, to the last fraction rounded up.
    pub(super) fn adopt(&self, former: &Self, state: BucketState, now: Timestamp) -> BucketState {
        let debt = former.debt(state, now);
        let (token, former_token) = (self.period.get(), former.period.get());
        let whole = div_floor(debt, former_token);
        let part = debt.saturating_sub(mul(whole, former_token));
        let part = u64::try_from(part).unwrap_or(former_token);
        let part = u128::from(div_ceil(mul(part, token), former_token));
        #[cfg(mutant = "bucket-change-drops-the-fraction")]
        let part = part.min(0);
        let debt = mul(whole, token).saturating_add(part);
        self.owing(debt.min(self.debt_max()), now)
    }
}
