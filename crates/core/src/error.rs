//! What can be wrong with a limit, each with what was given, what is allowed, and an example.

use crate::{AlgorithmName, limit::meant_limit};

/// Why a limit cannot be built.
///
/// ```
/// use tollgate_core::{Limit, LimitError};
///
/// let error = "100/sec".parse::<Limit>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unknown unit \"sec\" in \"100/sec\", did you mean \"s\"? units are ms, s, min, h, day, \
///      week and month, for example 100/s"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// The text has no `/` between amount and period.
    #[error("{}", missing_period(text))]
    MissingPeriod {
        /// What was written.
        text: String,
    },
    /// The part before the `/` is not a whole number.
    #[error(
        "amount {given:?} in {text:?} is not a whole number from 1 to {}: write for example 100/min",
        u64::MAX
    )]
    Amount {
        /// What was written as amount.
        given: String,
        /// The whole text.
        text: String,
    },
    /// An amount of zero.
    #[error(
        "a limit of 0 would let nothing pass: the least is 1, for example 1/min (to refuse \
         everything use a rule with `action: block`)"
    )]
    ZeroAmount,
    /// The part after the `/` has no unit.
    #[error(
        "period {given:?} in {text:?} has no unit: units are ms, s, min, h, day, week and month, \
         for example 5/30s"
    )]
    MissingUnit {
        /// What was written as period.
        given: String,
        /// The whole text.
        text: String,
    },
    /// A unit nobody knows.
    #[error(
        "unknown unit {given:?} in {text:?}{}? units are ms, s, min, h, day, week and month, for \
         example 100/{nearest}",
        did_you_mean(nearest)
    )]
    UnknownUnit {
        /// What was written as unit.
        given: String,
        /// The unit that was probably meant.
        nearest: &'static str,
        /// The whole text.
        text: String,
    },
    /// A period of length zero.
    #[error("a period of 0 has no length: the least is 1ms, for example 5/30s")]
    ZeroPeriod,
    /// The number of units times the unit is beyond what time can hold.
    #[error(
        "period {given:?} is too long: the longest is 285 years, for example 1000000/day or \
         50/12month"
    )]
    PeriodTooLong {
        /// What was written as period.
        given: String,
    },
    /// The text is longer than any limit.
    #[error("limit text has {bytes} bytes, at most {max} are read: write for example 100/min")]
    TextTooLong {
        /// How long it was.
        bytes: usize,
        /// How long it may be.
        max: usize,
    },
    /// A burst on an algorithm that counts windows.
    #[error(
        "burst {burst} on {algorithm}: only token_bucket and leaky_bucket have a burst; leave out \
         the burst or the algorithm, for example {{ per: 10/s, burst: 20 }}"
    )]
    BurstOnWindow {
        /// The burst that was given.
        burst: u64,
        /// The algorithm that has none.
        algorithm: AlgorithmName,
    },
    /// A token bucket that can hold nothing.
    #[error("a token_bucket with burst 0 would let nothing pass: the least is 1, for example 20")]
    ZeroBurst,
    /// A product of the limit's numbers does not fit 64 bits.
    #[error(
        "{what} of {given} does not fit: the largest is {max}, for example {{ per: 1000/s, burst: \
         5000 }}"
    )]
    Overflow {
        /// Which number.
        what: &'static str,
        /// What it came to.
        given: u128,
        /// The largest that fits.
        max: u64,
    },
    /// A sliding log that would remember too much.
    #[error(
        "sliding_log remembers every request, so its limit is at most {max}, not {amount}: use \
         sliding_window for larger limits, for example 100000/day"
    )]
    LogTooLong {
        /// The amount, soft band included.
        amount: u64,
        /// The largest amount.
        max: u64,
    },
    /// An algorithm nobody knows.
    #[error(
        "unknown algorithm {given:?}{}? algorithms are token_bucket, leaky_bucket, fixed_window, \
         sliding_window and sliding_log, for example algorithm: {nearest}",
        did_you_mean(nearest)
    )]
    UnknownAlgorithm {
        /// What was written.
        given: String,
        /// The algorithm that was probably meant.
        nearest: &'static str,
    },
    /// An algorithm of one's own, asked for by name.
    #[error(
        "an algorithm of your own has no name to choose it by: give it with Limit::with_custom"
    )]
    CustomByName,
    /// Thresholds that are out of range or cross.
    #[error(
        "warn_at {warn_at}% and hard_at {hard_at}%: warn_at is from 1 to 100 and hard_at from 100 \
         to 1000, for example warn_at: 80%, hard_at: 120%"
    )]
    Bands {
        /// Where warnings would begin, in percent.
        warn_at: u16,
        /// Where denials would begin, in percent.
        hard_at: u16,
    },
    /// A number that the scripts in Redis cannot hold exactly.
    #[error(
        "{what} is {given}, which cannot be counted exactly in Redis: the largest is {max}; {remedy}, or \
         count on each node with consistency: local"
    )]
    BeyondScripts {
        /// Which number.
        what: &'static str,
        /// What it came to.
        given: u128,
        /// The largest that is exact.
        max: u64,
        /// What to change.
        remedy: &'static str,
    },
    /// An algorithm of one's own, which Redis does not know.
    #[error(
        "an algorithm of your own cannot be counted in Redis: choose one of the five, or count on each \
         node with consistency: local"
    )]
    CustomInScripts,
    /// A set of limits without any limit.
    #[error("no limit given: write at least one, for example 100/min")]
    NoLimit,
    /// More limits on one key than a request may meet.
    #[error("{given} limits on one key, at most {max} are allowed: keep those that matter")]
    TooManyLimits {
        /// How many were given.
        given: usize,
        /// How many are allowed.
        max: usize,
    },
    /// Two limits of one key with the same period.
    #[error(
        "two limits per {period} on one key: a counter is known by its period, so keep one of \
         them, or write for example 10/s and 1000/h"
    )]
    SamePeriod {
        /// The period both have.
        period: String,
    },
}

fn missing_period(text: &str) -> String {
    match meant_limit(text) {
        Some(limit) => format!("limit {text:?} is not written as amount/period: write {limit}"),
        None => {
            format!("limit {text:?} has no period: write amount/period, for example 100/min")
        }
    }
}

fn did_you_mean(nearest: &str) -> String {
    format!(", did you mean {nearest:?}")
}
