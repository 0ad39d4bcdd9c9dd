//! One step of a key: its arrival time and the numbers of a call in, the answer out.
//!
//! Decided in whole nanoseconds, wide enough that nothing wraps around. Two quotients are taken in floating
//! point, since redis-cell takes them so and its answers are the contract.

use super::{Throttle, ThrottleError, Throttled};

const SECOND: i64 = 1_000_000_000;
const MILLISECOND: i64 = 1_000_000;
const MICROSECOND: i64 = 1_000;

/// What becomes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) answer: Result<Throttled, ThrottleError>,
    /// When the key will owe nothing any more; none if that stays as it is.
    pub(super) arrival: Option<i64>,
}

impl Throttle {
    /// Nanoseconds from one to the next.
    #[inline]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "redis-cell's quotient, which ends at the largest number"
    )]
    pub(super) fn interval(&self) -> Result<i64, ThrottleError> {
        if self.count == 0 || self.period_s == 0 {
            return Err(ThrottleError::ZeroRate);
        }
        let period = self.period_s.checked_mul(SECOND).map_or_else(
            || (i128::from(self.period_s) * i128::from(SECOND)) as f64,
            |nanos| nanos as f64,
        );
        match (period / self.count as f64) as i64 {
            0 => Err(ThrottleError::ZeroRate),
            interval => Ok(interval),
        }
    }

    /// Decides, for a key that owes until `arrival`, or nothing if that is not after `now`.
    #[inline]
    pub(super) fn step(&self, interval: i64, arrival: i64, now: i64) -> Step {
        let limit = i128::from(self.max_burst) + 1;
        let tolerance = i128::from(interval) * limit;
        let increment = i128::from(interval) * i128::from(self.quantity);
        let owed = i128::from(arrival.max(now)) - i128::from(now);
        let ttl = owed + increment;
        let early = ttl.saturating_sub(tolerance);
        let answer = |is_limited, retry_after_s, ttl: i128| Throttled {
            is_limited,
            limit: fit(limit),
            remaining: remaining(tolerance.saturating_sub(ttl), interval),
            retry_after_s,
            reset_after_s: up(ttl),
        };
        if early > 0 {
            // What is larger than all that can be saved up never passes.
            let retry_after_s = if increment <= tolerance { up(early) } else { -1 };
            return Step { answer: Ok(answer(true, retry_after_s, owed)), arrival: None };
        }
        // Redis takes no time to live below zero milliseconds, but for −1, which stands for none.
        let is_below_zero = ttl <= -2 * i128::from(MILLISECOND);
        Step {
            answer: if is_below_zero {
                Err(ThrottleError::BelowZero)
            } else {
                Ok(answer(false, -1, ttl))
            },
            arrival: Some(fit(i128::from(now) + ttl)),
        }
    }
}

/// How many fit into what is left, by whole microseconds.
#[inline]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "redis-cell's quotient, which ends at the largest number"
)]
fn remaining(left: i128, interval: i64) -> i64 {
    if left <= -i128::from(interval) {
        return 0;
    }
    let left = match i64::try_from(left) {
        Ok(left) => (left / MICROSECOND) as f64,
        Err(_) => (left / i128::from(MICROSECOND)) as f64,
    };
    (left / (interval / MICROSECOND) as f64) as i64
}

/// Whole seconds, and one more if a millisecond or more is left over.
#[inline]
fn up(time: i128) -> i64 {
    let Ok(time) = i64::try_from(time) else {
        return long_up(time);
    };
    let over = time % SECOND / MILLISECOND;
    time / SECOND + i64::from(over > 0)
}

#[cold]
fn long_up(time: i128) -> i64 {
    let over = time % i128::from(SECOND) / i128::from(MILLISECOND);
    fit(time / i128::from(SECOND) + i128::from(over > 0))
}

/// The number, or the nearest that 64 bits can hold.
#[inline]
fn fit(number: i128) -> i64 {
    let most = if number < 0 { i64::MIN } else { i64::MAX };
    i64::try_from(number).unwrap_or(most)
}
