//! The long runs: the same laws, many more steps.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    thread,
};

use tollgate_core::{AlgorithmName, Charge, Cost, CounterKey, Limit, Micros, RuleId, Store};

use super::{
    Make, Rig, random,
    rig::{MS, S},
};
use crate::{Rng, limit};

/// Five million random steps beside the reference.
// Proves: D1, D4, D6, D14
pub fn soak_random<T: Store>(make: &impl Make<Store = T>) {
    for seed in 0..50 {
        random(make, 0x50a4 + seed, 100_000);
    }
}

const THREADS: u64 = 4;
const KEYS: u64 = 40;

/// Several threads, random keys and limits, a clock that moves under them: what passed is at most
/// what each law allows, and at least what nobody can refuse.
// Proves: D1, D3
pub fn soak_concurrent<T: Store>(make: &impl Make<Store = T>) {
    let limits = [
        "1000/s burst 50",
        "7/s burst 3",
        "999/min leaky_bucket burst 20",
        "200/s fixed_window",
        "90/s",
        "50/s sliding_log",
    ]
    .map(limit);
    for seed in 0..20 {
        let rig = Rig::new(make);
        let start = rig.now().wall.as_micros();
        let totals = run_clients(&rig, &limits, seed);
        let end = rig.now().wall.as_micros();
        for (limit, totals) in limits.iter().zip(&totals) {
            for total in totals {
                let total = total.load(Relaxed);
                let most = most_between(limit, start, end);
                assert!(total <= most, "{limit:?}: {total} of {most}, seed {seed}");
                assert!(total >= limit.capacity() / 2, "{limit:?}: only {total}");
            }
        }
    }
}

fn run_clients<T: Store>(rig: &Rig<T>, limits: &[Limit], seed: u64) -> Vec<Vec<AtomicU64>> {
    let zeros = || (0..KEYS).map(|_| AtomicU64::new(0)).collect();
    let totals: Vec<Vec<AtomicU64>> = limits.iter().map(|_| zeros()).collect();
    let run = |thread: u64| {
        let mut rng = Rng::new(seed * THREADS + thread);
        for step in 0..60_000 {
            let key = rng.index(totals[0].len());
            let bytes = key.to_be_bytes();
            let first = rng.index(limits.len());
            let last = (first + rng.index(3)).min(limits.len() - 1);
            let cost = 1 + rng.below(3);
            let several: Vec<usize> = (first..=last).collect();
            let charges: Vec<_> = several
                .iter()
                .map(|&place| {
                    let rule = RuleId::new(u128::try_from(place).expect("small"));
                    Charge::new(CounterKey::new(rule, &bytes), &limits[place], Cost::new(cost))
                })
                .collect();
            if rig.charge(&charges).is_allowed() {
                for &place in &several {
                    totals[place][key].fetch_add(cost, Relaxed);
                }
            }
            if thread == 0 && step % 16 == 0 {
                rig.clock.advance(Micros::new(rng.below(4 * MS)));
            }
        }
    };
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let run = &run;
            scope.spawn(move || run(thread));
        }
    });
    totals
}

/// The most that may pass in this time by the law of the limit.
fn most_between(limit: &Limit, start: u64, end: u64) -> u64 {
    let period = limit.period().length().get();
    let windows = end / period - start / period + 1;
    match limit.algorithm() {
        AlgorithmName::TokenBucket | AlgorithmName::LeakyBucket => {
            limit.capacity() + limit.amount() * (end - start) / period
        }
        AlgorithmName::SlidingLog => limit.capacity() * ((end - start) / S + 1),
        _ => limit.capacity() * windows,
    }
}
