//! Every algorithm of the core against its model, step by step.
// Proves: D1, D2, D5, D6, D7, D10, D11, D14

use tollgate_core::AlgorithmName;
use tollgate_sim::{Clocks, Rng, Tally, Walk, limits};

/// Per algorithm. Some walks change to another one, so it is more than the million it has to be.
const STEPS: u64 = 1_300_000;

#[test]
fn token_bucket_is_its_model() {
    walk_all(AlgorithmName::TokenBucket, STEPS);
}

#[test]
fn leaky_bucket_is_its_model() {
    walk_all(AlgorithmName::LeakyBucket, STEPS);
}

#[test]
fn fixed_window_is_its_model() {
    walk_all(AlgorithmName::FixedWindow, STEPS);
}

#[test]
fn sliding_window_is_its_model() {
    walk_all(AlgorithmName::SlidingWindow, STEPS);
}

#[test]
fn sliding_log_is_its_model() {
    walk_all(AlgorithmName::SlidingLog, STEPS);
}

#[test]
#[ignore = "soak: run by cargo xtask soak"]
fn soak_every_algorithm_is_its_model() {
    for name in AlgorithmName::ALL {
        walk_all(name, 100 * STEPS);
    }
}

fn walk_all(name: AlgorithmName, steps: u64) {
    let mut total = Tally::default();
    let mut seed = 0;
    while total.steps < steps {
        total = total.plus(walk(name, seed));
        seed += 1;
    }
    // A walk that never meets the interesting answers proves nothing.
    assert!(total.denied > total.steps / 20, "{total:?}");
    assert!(total.changes > total.steps / 50, "{total:?}");
    assert!(total.refunds > total.steps / 50, "{total:?}");
    assert!(total.rebases > total.steps / 500, "{total:?}");
}

fn walk(name: AlgorithmName, seed: u64) -> Tally {
    let mut rng = Rng::new(!seed);
    let clocks = rng.pick(&[Clocks::Forward, Clocks::Shuffled, Clocks::WallSteps]);
    let steps = rng.pick(&[8, 24, 48]);
    let outcome = limits::small(&mut rng, name)
        .map_err(Into::into)
        .and_then(|limit| Walk::new(seed, clocks).run(limit, steps));
    let trouble = outcome.as_ref().err().map(ToString::to_string);
    assert_eq!(None, trouble, "seed {seed}");
    outcome.unwrap_or_default()
}
