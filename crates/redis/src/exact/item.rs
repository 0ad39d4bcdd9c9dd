//! One charge as it is put to Redis.

use tollgate_core::{Charge, Cost, Law, Limit, Period, Unit};

use super::fast::{Former, digits};
use crate::{
    key::{Breadth, Key, Name, Names},
    record,
};

/// A counter, the limit now in force, and what is asked of it.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) key: Key,
    pub(crate) limit: Limit,
    /// Counters of other periods that this one replaces, with the limits they were counted by.
    pub(crate) former: Vec<(Key, Limit)>,
    pub(crate) cost: Cost,
    pub(crate) breadth: Breadth,
}

impl Item {
    pub(crate) fn new(charge: &Charge<'_>, names: &Names) -> Self {
        let name = Name::new(charge.key, names);
        let former = charge.former.iter();
        Self {
            key: name.counter(charge.limit.period()),
            former: former.map(|limit| (name.counter(limit.period()), limit.clone())).collect(),
            limit: charge.limit.clone(),
            cost: charge.cost,
            breadth: name.breadth,
        }
    }

    /// Whether a script can decide on it.
    pub(crate) fn is_for_scripts(&self) -> bool {
        record::is_for_scripts(&self.limit)
    }
}

/// An amount as scripts count it: microseconds and a rest for buckets, units for all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) q: u64,
    pub(crate) r: u64,
}

impl Parts {
    pub(crate) fn of(limit: &Limit, units: u64) -> Self {
        let bucket = match limit.law() {
            Law::TokenBucket(law) => law.bucket(),
            Law::LeakyBucket(law) => law.bucket(),
            _ => return Self { q: units, r: 0 },
        };
        let per_micro = u128::from(bucket.units_per_micro()).max(1);
        let all = u128::from(units).saturating_mul(bucket.units_per_token().into());
        let part = |number: u128| u64::try_from(number).unwrap_or(u64::MAX);
        Self { q: part(all / per_micro), r: part(all % per_micro) }
    }
}

/// Appends what scripts have to know of a limit; see decide.lua.
pub(crate) fn write_limit(limit: &Limit, former: Former, args: &mut Vec<Vec<u8>>) {
    let capacity = limit.law().capacity();
    let (alignment, step) = alignment(limit.period());
    let length = limit.period().length().get();
    let (law, numbers) = match limit.law() {
        Law::TokenBucket(_) | Law::LeakyBucket(_) => {
            let full = Parts::of(limit, capacity);
            (1_u8, [per_micro(limit), full.q, full.r, length])
        }
        Law::FixedWindow(_) => (2, [capacity, alignment, step, 0]),
        Law::SlidingWindow(_) => (3, [capacity, alignment, step, 0]),
        _ => (4, [capacity, length, 0, 0]),
    };
    args.push(digits(law));
    args.push(record::header(limit).into_bytes());
    for number in numbers {
        args.push(digits(number));
    }
    args.push(digits(u8::from(former == Former::Some)));
    args.push(digits(ttl_ms(limit)));
}

fn per_micro(limit: &Limit) -> u64 {
    match limit.law() {
        Law::TokenBucket(law) => law.bucket().units_per_micro(),
        Law::LeakyBucket(law) => law.bucket().units_per_micro(),
        _ => 0,
    }
}

fn alignment(period: Period) -> (u64, u64) {
    match period.unit() {
        Unit::Month => (2, period.count()),
        Unit::Week => (1, period.length().get()),
        _ => (0, period.length().get()),
    }
}

/// A counter that nobody has charged for this long is forgotten: twice its window, or twice what it takes a
/// bucket to fill.
pub(super) fn ttl_ms(limit: &Limit) -> u64 {
    const TTL_MS_MIN: u64 = 1_000;
    const DAY: u64 = 86_400_000_000;
    const TTL_MS_MAX: u64 = 1 << 52;
    let period = limit.period();
    let window = match period.unit() {
        // A month counts as thirty days, and may have one more.
        Unit::Month => period.length().get().saturating_add(period.count().saturating_mul(DAY)),
        _ => period.length().get(),
    };
    let fills_in = match limit.law() {
        Law::TokenBucket(_) | Law::LeakyBucket(_) => Parts::of(limit, limit.law().capacity()).q,
        _ => 0,
    };
    let ttl = window.max(fills_in).saturating_mul(2).div_ceil(1_000);
    ttl.clamp(TTL_MS_MIN, TTL_MS_MAX)
}
