//! A limit that changes in the course of a schedule.

use tollgate_core::{AlgorithmName, Bands, Charge, Cost, CounterKey, Limit, Period, RuleId, Unit};

use super::super::custom::Allowance;
use crate::Rng;

/// One limit of one rule, as it is now and as it was.
#[derive(Debug)]
pub(super) struct Meter {
    rule: RuleId,
    /// The periods it may have. No other meter of the rule has them.
    periods: Vec<Period>,
    current: Limit,
    /// The last limit of each other period it had.
    former: Vec<Limit>,
}

impl Meter {
    /// The meters of every schedule: several on each rule, from 100 ms to months.
    pub(super) fn all(rng: &mut Rng) -> Vec<Self> {
        use Unit::{Day, Hour, Millisecond, Minute, Month, Second, Week};
        // Differs from the first rule in its upper half alone.
        const OTHER: u128 = (1 << 90) | 1;
        let kinds: [(u128, &[(u64, Unit)]); 8] = [
            (1, &[(1, Second), (7, Second), (10, Second)]),
            (1, &[(1, Minute), (90, Second)]),
            (1, &[(1, Hour), (5, Hour), (1, Day)]),
            (2, &[(1, Day), (1, Week), (1, Month)]),
            (2, &[(100, Millisecond), (250, Millisecond)]),
            (OTHER, &[(1, Second), (10, Second)]),
            (OTHER, &[(7, Day), (30, Day), (1, Week)]),
            (OTHER, &[(1, Minute)]),
        ];
        let period = |&(count, unit): &(u64, Unit)| Period::new(count, unit).expect("a period");
        let meter = |(rule, periods): (u128, &[(u64, Unit)])| {
            let periods: Vec<Period> = periods.iter().map(period).collect();
            Self {
                rule: RuleId::new(rule),
                current: any_limit(rng, &periods),
                periods,
                former: Vec::new(),
            }
        };
        kinds.into_iter().map(meter).collect()
    }

    /// Another limit for this meter.
    pub(super) fn any_limit(&self, rng: &mut Rng) -> Limit {
        any_limit(rng, &self.periods)
    }

    pub(super) fn change(&mut self, limit: Limit) {
        let old = std::mem::replace(&mut self.current, limit);
        self.former.push(old);
        let current = self.current.period();
        // The latest of each period, latest first.
        let mut seen = vec![current];
        self.former.reverse();
        self.former.retain(|former| {
            let is_new = !seen.contains(&former.period());
            seen.push(former.period());
            is_new
        });
        self.former.reverse();
    }

    pub(super) const fn limit(&self) -> &Limit {
        &self.current
    }

    /// The limits under which something may be counted, one for each period.
    pub(super) fn limits(&self) -> impl Iterator<Item = &Limit> {
        [&self.current].into_iter().chain(&self.former)
    }

    pub(super) const fn key<'a>(&self, values: &'a [u8]) -> CounterKey<'a> {
        CounterKey::new(self.rule, values)
    }

    pub(super) fn charge<'a>(&'a self, values: &'a [u8], cost: u64) -> Charge<'a> {
        Charge::new(self.key(values), &self.current, Cost::new(cost)).replacing(&self.former)
    }
}

const AMOUNTS: [u64; 16] = [
    1,
    1,
    2,
    3,
    5,
    7,
    10,
    10,
    100,
    999,
    1_000_003,
    u32::MAX as u64,
    1 << 40,
    (1 << 53) + 1,
    u64::MAX - 1,
    u64::MAX,
];

fn any_limit(rng: &mut Rng, periods: &[Period]) -> Limit {
    loop {
        let period = rng.pick(periods);
        if rng.one_in(16) {
            let units = rng.pick(&[1, 5, 100, u64::MAX]);
            return Allowance::limit(&format!("5/{period}"), units);
        }
        // Not every combination is a limit: a large log is none.
        if let Some(limit) = any_built_in(rng, period) {
            return limit;
        }
    }
}

fn any_built_in(rng: &mut Rng, period: Period) -> Option<Limit> {
    let name = rng.pick(&AlgorithmName::ALL);
    let mut limit = Limit::new(rng.pick(&AMOUNTS), period).ok()?;
    limit = limit.with_algorithm(name).ok()?;
    if matches!(name, AlgorithmName::TokenBucket | AlgorithmName::LeakyBucket) && !rng.one_in(3) {
        let burst = rng.pick(&[0, 1, 2, 3, 5, 10, 50, 1_000, 1 << 33, u64::MAX - 1, u64::MAX]);
        limit = limit.with_burst(burst).ok()?;
    }
    if rng.one_in(3) {
        let hard_at = rng.pick(&[100, 101, 120, 150, 1_000]);
        let bands = Bands::new(rng.pick(&[1, 50, 99, 100]), hard_at).ok()?;
        limit = limit.with_bands(bands).ok()?;
    }
    Some(limit)
}
