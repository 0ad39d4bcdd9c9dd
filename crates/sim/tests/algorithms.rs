//! Every algorithm of the core against its model, step by step.
// Proves: D1, D2, D5, D6, D7, D10, D11, D14

use std::error::Error;

use tollgate_core::Name;
use tollgate_sim::{Clocks, Rng, Tally, Walk, limits};

/// In the normal run, per algorithm.
const STEPS: u64 = 1_020_000;
const STEPS_PER_WALK: u64 = 24;

#[test]
fn token_bucket_is_its_model() -> Result<(), Box<dyn Error>> {
    walk_all(Name::TokenBucket, STEPS)
}

#[test]
fn leaky_bucket_is_its_model() -> Result<(), Box<dyn Error>> {
    walk_all(Name::LeakyBucket, STEPS)
}

#[test]
fn fixed_window_is_its_model() -> Result<(), Box<dyn Error>> {
    walk_all(Name::FixedWindow, STEPS)
}

#[test]
fn sliding_window_is_its_model() -> Result<(), Box<dyn Error>> {
    walk_all(Name::SlidingWindow, STEPS)
}

#[test]
fn sliding_log_is_its_model() -> Result<(), Box<dyn Error>> {
    walk_all(Name::SlidingLog, STEPS)
}

#[test]
#[ignore = "soak: run by cargo xtask soak"]
fn soak_every_algorithm_is_its_model() -> Result<(), Box<dyn Error>> {
    for name in Name::ALL {
        walk_all(name, 100 * STEPS)?;
    }
    Ok(())
}

fn walk_all(name: Name, steps: u64) -> Result<(), Box<dyn Error>> {
    let mut total = Tally::default();
    for seed in 0..steps / STEPS_PER_WALK {
        total = total.plus(walk(name, seed).map_err(|error| format!("seed {seed}: {error}"))?);
    }
    // A walk that never meets the interesting answers proves nothing.
    assert!(total.denied > total.steps / 20, "{total:?}");
    assert!(total.changes > total.steps / 50, "{total:?}");
    assert!(total.refunds > total.steps / 50, "{total:?}");
    assert!(total.rebases > total.steps / 500, "{total:?}");
    Ok(())
}

fn walk(name: Name, seed: u64) -> Result<Tally, Box<dyn Error>> {
    let mut rng = Rng::new(!seed);
    let clocks = rng.pick(&[Clocks::Forward, Clocks::Shuffled, Clocks::WallSteps]);
    let limit = limits::small(&mut rng, name)?;
    Walk::new(seed, clocks).run(limit, STEPS_PER_WALK)
}
