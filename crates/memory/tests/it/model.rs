//! A store with next to no room against one that counts everything exactly: it never admits more.
// Proves: C1, D4

use tollgate_core::{
    Action, Charge, Cost, CounterKey, ImmediateStore, Limit, ManualClock, Micros, RuleId,
};
use tollgate_memory::MemoryStore;
use tollgate_testkit::{ReferenceStore, Rng, limit};

use crate::common::every_algorithm;

const STEPS: usize = 150_000;

/// The store under test, and the exact one. The exact one is told what passed, and what was denied as a
/// request of cost 0.
struct Pair {
    clock: ManualClock,
    store: MemoryStore<ManualClock>,
    law: ReferenceStore<ManualClock>,
    rng: Rng,
    admitted: u64,
    /// Denials that were looked at, and those after which less was left. A denial charges nothing; but a log
    /// that is given a place may push another key into an entry that this key shares.
    denied: u64,
    raised: u64,
}

impl Pair {
    fn new(seed: u64) -> Self {
        let clock = ManualClock::start();
        Self {
            store: MemoryStore::with_bounds(64, 0, clock.clone()).seeded([seed, 2, 3, 4]),
            law: ReferenceStore::new(clock.clone()),
            clock,
            rng: Rng::new(seed),
            admitted: 0,
            denied: 0,
            raised: 0,
        }
    }

    fn step(&mut self, limits: &[Limit]) {
        let pause = match self.rng.below(3_000) {
            0 => 90_000,
            _ => self.rng.pick(&[0, 0, 1, 20]),
        };
        self.clock.advance(Micros::from_millis(pause));
        let range = self.rng.pick(&[100, 2_000, 20_000]);
        let key = self.rng.below(range).to_be_bytes();
        let rule = RuleId::new(u128::from(self.rng.below(3)));
        let cost = Cost::new(1 + self.rng.below(3));
        let charge = |limit| Charge::new(CounterKey::new(rule, &key), limit, cost);
        let charges: Vec<Charge<'_>> = limits.iter().map(charge).collect();
        let is_looked_at = self.rng.below(8) == 0;
        let before = is_looked_at.then(|| self.left(&charges));
        let is_allowed = self.store.charge_now(&charges).is_allowed();
        if let Some(before) = before {
            let cost = if is_allowed { cost.get() } else { 0 };
            let after = self.left(&charges);
            let mut pairs = before.iter().zip(&after);
            assert!(pairs.all(|(before, after)| after + cost <= *before), "{limits:?}");
            if !is_allowed {
                self.denied += 1;
                self.raised += u64::from(before != after);
            }
        }
        if is_allowed {
            self.admitted += 1;
            let is_lawful = self.law.charge_now(&charges).is_allowed();
            assert!(is_lawful, "{limits:?}: counted too little");
        } else {
            // A denial adopts a changed limit, and spends nothing.
            let touched = charges.iter().map(|charge| charge.with_cost(Cost::ZERO));
            let touched: Vec<Charge<'_>> = touched.collect();
            self.law.charge_now(&touched);
        }
        if self.rng.below(50) == 0 {
            let action = self.rng.pick(&[Action::Refund, Action::Reset]);
            self.store.inspect_now(action, &charges);
            self.law.inspect_now(action, &charges);
        }
    }

    /// What is left by each limit.
    fn left(&self, charges: &[Charge<'_>]) -> Vec<u64> {
        let look = |charge: &Charge<'_>| {
            let look = [charge.with_cost(Cost::ZERO)];
            self.store.inspect_now(Action::Peek, &look).binding().remaining()
        };
        charges.iter().map(look).collect()
    }

    fn end(&self) {
        let (admitted, stats) = (self.admitted, self.store.stats());
        let was_full = stats.estimated_requests > 5_000;
        assert!(admitted > 1_000 && was_full, "{admitted}, {stats:?}");
        let (denied, raised) = (self.denied, self.raised);
        assert!(denied > 100 && raised * 50 <= denied, "{raised} of {denied}");
    }
}

fn by(algorithm: usize) {
    let limit = [every_algorithm(5, "min")[algorithm].clone()];
    let mut pair = Pair::new(u64::try_from(algorithm).unwrap());
    (0..STEPS).for_each(|_| pair.step(&limit));
    pair.end();
}

#[test]
fn token_buckets_admit_no_more_than_the_law() {
    by(0);
}

#[test]
fn leaky_buckets_admit_no_more_than_the_law() {
    by(1);
}

#[test]
fn fixed_windows_admit_no_more_than_the_law() {
    by(2);
}

#[test]
fn sliding_windows_admit_no_more_than_the_law() {
    by(3);
}

#[test]
fn sliding_logs_admit_no_more_than_the_law() {
    by(4);
}

#[test]
fn several_limits_admit_no_more_than_the_law() {
    let limits = ["5/min", "20/h burst 20", "12/10min sliding_log"].map(limit);
    let mut pair = Pair::new(11);
    (0..STEPS).for_each(|_| pair.step(&limits));
    pair.end();
}

/// The limits change now and then: amounts, algorithms, both ways.
#[test]
fn limits_that_change_admit_no_more_than_the_law() {
    let amounts = [5, 9, 300, 4].map(|amount| every_algorithm(amount, "min"));
    let limits: Vec<Limit> = amounts.into_iter().flatten().collect();
    let mut pair = Pair::new(12);
    for step in 0..STEPS {
        let limit = &limits[(step / 5_000) % limits.len()];
        pair.step(std::slice::from_ref(limit));
    }
    pair.end();
}
