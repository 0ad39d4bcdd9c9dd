//! What follows from a limit alone.

use tollgate_core::{AlgorithmName, Law, Limit};

use super::counter::rate;
use crate::model::calendar::Calendar;

/// What a record is written by: another one is odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    algorithm: AlgorithmName,
    rate: (i128, i128),
}

/// Leases on windows end with them, those on buckets before the bucket could be forgotten: once it has had the time to
/// fill, or a period, or half a second if that is longer.
pub(super) fn life(limit: &Limit, now: i128, life: u64) -> i128 {
    let (life, period) = (i128::from(life), i128::from(limit.period().length().get()));
    if matches!(limit.law(), Law::TokenBucket(_)) {
        let rate = rate(limit);
        let longest = period.max(rate.full / rate.per_micro).max(500_000);
        // Records live for whole milliseconds, twice as long.
        return life.min((2 * longest + 999) / 1_000 * 500);
    }
    let calendar = Calendar::new(limit.period());
    life.min(calendar.end_of(calendar.window_at(now)) - now)
}

pub(super) fn kind(limit: &Limit) -> Kind {
    let rate = match limit.law() {
        Law::TokenBucket(_) => rate(limit),
        _ => return Kind::of(limit, (0, 0)),
    };
    Kind::of(limit, (rate.per_micro, rate.per_token))
}

impl Kind {
    const fn of(limit: &Limit, rate: (i128, i128)) -> Self {
        Self { algorithm: limit.algorithm(), rate }
    }
}

/// Which way a part of a microsecond goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Round {
    Up,
    Down,
}

/// Units as totals are told: of buckets the microseconds that they take to come back.
pub(super) fn price(limit: &Limit, units: i128, round: Round) -> i128 {
    if !matches!(limit.law(), Law::TokenBucket(_)) {
        return units;
    }
    let rate = rate(limit);
    match round {
        Round::Up => rate.micros(units * rate.per_token),
        Round::Down => units * rate.per_token / rate.per_micro,
    }
}

pub(super) fn number(number: i128) -> u64 {
    u64::try_from(number.max(0)).unwrap_or(u64::MAX)
}
