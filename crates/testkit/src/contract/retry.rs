//! Honest answers: waiting exactly as long as told is enough, a tick less is not.

use std::time::Duration;

use tollgate_core::{Charge, Decision, Limit, Micros, Store};

use super::{
    Make, Rig,
    rig::{DAY, H, MS, S, charge, every_algorithm},
};
use crate::{Rng, limit};

const LIMITS: [&str; 18] = [
    "10/s burst 2",
    "7/s burst 1",
    "999/min burst 40",
    "1000003/h burst 5",
    "3/month burst 2",
    "18446744073709551615/day burst 9",
    "7/s leaky_bucket",
    "999/min leaky_bucket burst 30 hard 120",
    "5/30s fixed_window",
    "1/ms fixed_window",
    "3/month fixed_window hard 150",
    "7/s",
    "999/min",
    "5/week hard 200",
    "3/month",
    "1000003/h",
    "7/s sliding_log",
    "500/90s sliding_log hard 200",
];

/// For every algorithm and odd rates: a denied client that waits a tick too short is denied again,
/// at the instant it was told it passes.
// Proves: D6
pub fn retry_after_is_exact_for_every_algorithm<T: Store>(make: &impl Make<Store = T>) {
    for (seed, text) in (0..).zip(LIMITS) {
        let limit = limit(text);
        let hard = limit.law().capacity();
        let rig = Rig::new(make);
        let mut rng = Rng::new(seed);
        let mut proofs = 0;
        for _ in 0..make.times(300) {
            let pause = rng.pick(&[1, MS, S, H, 3 * DAY]);
            rig.pass(rng.below(pause));
            let cost = 1 + rng.below(hard);
            proofs += u32::from(is_exact(&rig, &[charge(&limit, cost)]));
        }
        assert!(u64::from(proofs) >= make.times(20), "{text}: only {proofs} denials");
    }
}

/// The same for requests that meet several limits, and one counter more than once.
// Proves: D6, D8
pub fn retry_after_is_exact_for_several_limits<T: Store>(make: &impl Make<Store = T>) {
    let limits = ["10/s burst 4", "100/min", "300/h sliding_log", "900/day"].map(limit);
    let twice = ["20/2s sliding_window", "30/5min leaky_bucket burst 20"].map(limit);
    let rig = Rig::new(make);
    let mut rng = Rng::new(11);
    let mut proofs = 0;
    for _ in 0..make.times(1_500) {
        let pause = rng.pick(&[1, MS, S, 5 * S]);
        rig.pass(rng.below(pause));
        let four: Vec<Charge<'_>> =
            limits.iter().map(|limit| charge(limit, 1 + rng.below(4))).collect();
        proofs += u32::from(is_exact(&rig, &four));
        let pairs: Vec<Charge<'_>> = twice
            .iter()
            .flat_map(|limit| [charge(limit, 3), charge(limit, 1 + rng.below(7))])
            .collect();
        proofs += u32::from(is_exact(&rig, &pairs));
    }
    assert!(u64::from(proofs) > make.times(200), "only {proofs} denials");
}

/// Charges; where that is denied, proves the retry-after to the tick.
fn is_exact<T: Store>(rig: &Rig<T>, charges: &[Charge<'_>]) -> bool {
    let verdict = rig.charge(charges);
    let Some(wait) = verdict.binding().retry_after() else {
        return false;
    };
    if verdict.is_allowed() {
        assert_eq!(wait, Duration::ZERO, "nothing to wait for");
        return false;
    }
    for decision in verdict.decisions() {
        let promised = decision.retry_after().unwrap_or_default();
        assert!(decision.reset_after() >= promised, "{decision:?}");
    }
    assert!(verdict.binding().reset_after() >= wait, "{verdict:?}");
    let wait = Micros::from(wait).get();
    assert!(wait > 0, "a denial without a wait: {charges:?}");
    rig.pass(wait - 1);
    let early = rig.charge(charges);
    assert!(!early.is_allowed(), "a tick early: {charges:?}");
    assert_eq!(early.binding().retry_after(), Some(Duration::from_micros(1)));
    rig.pass(1);
    assert!(rig.charge(charges).is_allowed(), "in time: {charges:?}");
    true
}

/// A bucket is full at its reset and not before; a window ends at its reset and not before.
// Proves: D6
pub fn resets_are_exact<T: Store>(make: &impl Make<Store = T>) {
    for limit in every_algorithm(10) {
        let rig = Rig::new(make);
        rig.pass(7 * S);
        let fresh = rig.take(&limit, 3).reset_after();
        rig.pass(11 * S + 1);
        let reset = Micros::from(rig.take(&limit, 4).reset_after()).get();
        assert!(reset > 0, "{limit:?} after {fresh:?}");
        rig.pass(reset - 1);
        assert!(rig.left(&limit) < 10, "{limit:?} a tick early");
        rig.pass(1);
        assert_eq!(after_reset(&rig, &limit), 10, "{limit:?}");
        assert_eq!(rig.admitted(&limit, 20), 10, "{limit:?}");
    }
}

/// What is left at the reset; the sliding window still weighs the one that ended, for one more.
fn after_reset<T: Store>(rig: &Rig<T>, limit: &Limit) -> u64 {
    let decision: Decision = rig.peek(limit, 0);
    if limit.algorithm() == tollgate_core::AlgorithmName::SlidingWindow {
        assert_eq!(
            decision.remaining(),
            4,
            "seven were admitted before, and a little less than seven rounds down"
        );
        rig.pass(limit.period().length().get());
    }
    rig.left(limit)
}
