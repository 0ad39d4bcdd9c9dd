//! The law of each algorithm, held against everything a random client got.

use tollgate_core::{AlgorithmName, Clock, Limit, Store};

use super::{
    Make, Rig,
    rig::{MIN, MS, S},
};
use crate::{Rng, limit};

/// One admission: when, and how much.
struct Admitted {
    at: u64,
    cost: u64,
}

/// In every interval between any two admissions no more passed than the algorithm's law allows.
// Proves: D1
pub fn any_interval_keeps_the_law_of_its_algorithm<T: Store>(make: &impl Make<Store = T>) {
    let limits = [
        "7/s burst 3",
        "1000003/h burst 50",
        "7/s leaky_bucket burst 4",
        "20/s fixed_window",
        "20/s sliding_window",
        "20/s sliding_log",
    ];
    let expected = usize::try_from(make.times(200)).expect("few admissions");
    for (seed, text) in (0..).zip(limits) {
        let limit = limit(text);
        let rig = Rig::new(make);
        let log = random_client(&rig, &limit, &mut Rng::new(seed), make.times(1_500));
        assert!(log.len() >= expected, "{text}: only {} passed", log.len());
        for (first, admitted) in log.iter().enumerate() {
            let mut total = 0;
            for last in &log[first..] {
                total += last.cost;
                let most = most_between(&limit, admitted.at, last.at);
                assert!(total <= most, "{text}: {total} in an interval of {most}");
            }
        }
    }
}

fn random_client<T: Store>(
    rig: &Rig<T>,
    limit: &Limit,
    rng: &mut Rng,
    requests: u64,
) -> Vec<Admitted> {
    let mut log = Vec::new();
    for _ in 0..requests {
        let pause = rng.pick(&[0, 1, MS, 50 * MS, 300 * MS]);
        rig.pass(rng.below(pause + 1));
        let cost = 1 + rng.below(3);
        if rig.take(limit, cost).is_allowed() {
            let at = rig.clock.now().wall.as_micros();
            log.push(Admitted { at, cost });
        }
    }
    log
}

/// The most that may pass from `first` to `last`, both included.
fn most_between(limit: &Limit, first: u64, last: u64) -> u64 {
    let period = limit.period().length().get();
    let capacity = limit.capacity();
    match limit.algorithm() {
        AlgorithmName::TokenBucket | AlgorithmName::LeakyBucket => {
            capacity + limit.amount() * (last - first) / period
        }
        AlgorithmName::SlidingLog => capacity * (1 + (last - first) / period),
        // Aligned windows; a sliding window's estimate is at least what its own window counts.
        _ => capacity * (1 + last / period - first / period),
    }
}

/// The documented worst case of the estimate: twice the limit in one period's time, and no more.
// Proves: D1
pub fn sliding_windows_pass_twice_the_limit<T: Store>(make: &impl Make<Store = T>) {
    let limit = limit("10/min sliding_window");
    let rig = Rig::new(make);
    rig.pass(MIN - 1);
    assert_eq!(rig.admitted(&limit, 100), 10);
    let mut passed = 10;
    for _ in 0..600 {
        rig.pass(S / 10);
        passed += rig.admitted(&limit, 3);
    }
    // Once less than one of the first ten counts, all ten of the next minute pass.
    assert_eq!(passed, 20);
    rig.pass(1);
    assert_eq!(rig.admitted(&limit, 100), 1);
}
