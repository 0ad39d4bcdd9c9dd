//! Amount, burst, period and cost over the whole 64-bit range.
// Proves: D2, D7, D14

use tollgate_core::{AlgorithmName, Bands, Limit, LimitError, Period, SlidingLog, Unit};
use tollgate_sim::{Clocks, Rng, Tally, Walk, limits};

const WALKS: u64 = 60_000;
const STEPS_PER_WALK: u64 = 12;

#[test]
fn limits_of_any_size_are_their_models() {
    walk_all(WALKS);
}

#[test]
#[ignore = "soak: run by cargo xtask soak"]
fn soak_limits_of_any_size_are_their_models() {
    walk_all(100 * WALKS);
}

fn walk_all(walks: u64) {
    for name in AlgorithmName::ALL {
        let mut total = Tally::default();
        for seed in 0..walks {
            total = total.plus(walk(name, seed));
        }
        assert!(total.steps > walks * STEPS_PER_WALK / 2, "{name} {total:?}");
        assert!(total.denied > total.steps / 10, "{name} {total:?}");
    }
}

fn walk(name: AlgorithmName, seed: u64) -> Tally {
    let mut rng = Rng::new(!seed);
    let clocks = rng.pick(&[Clocks::Forward, Clocks::Shuffled, Clocks::WallSteps]);
    let Ok(limit) = limits::any(&mut rng, name) else {
        return Tally::default();
    };
    let mut walk = Walk::new(seed, clocks).among_limits_of_any_size();
    let outcome = walk.run(limit, STEPS_PER_WALK);
    let trouble = outcome.as_ref().err().map(ToString::to_string);
    assert_eq!(None, trouble, "{name} seed {seed}");
    outcome.unwrap_or_default()
}

/// Numbers around which a constructor changes its mind.
const EDGES: [u64; 14] = [
    0,
    1,
    2,
    100,
    999,
    1_000,
    1_001,
    1 << 32,
    (1 << 53) - 1,
    1 << 53,
    u64::MAX / 10,
    u64::MAX / 10 + 1,
    u64::MAX - 1,
    u64::MAX,
];

#[test]
fn periods_are_refused_when_zero_or_too_long() {
    for unit in Unit::ALL {
        let one = u128::from(Period::new(1, unit).unwrap().length().get());
        let longest = (1_u128 << 53) / one;
        let around = u64::try_from(longest).unwrap();
        for count in EDGES.into_iter().chain([around - 1, around, around + 1]) {
            let is_fine = count != 0 && u128::from(count) * one < 1 << 53;
            match Period::new(count, unit) {
                Ok(period) => {
                    assert!(is_fine, "{count} {unit:?}");
                    assert_eq!(u128::from(period.length().get()), u128::from(count) * one);
                }
                Err(LimitError::ZeroPeriod) => assert_eq!(count, 0),
                Err(LimitError::PeriodTooLong { .. }) => assert!(!is_fine && count != 0),
                Err(other) => panic!("{count} {unit:?}: {other}"),
            }
        }
    }
}

#[test]
fn amounts_and_bursts_are_refused_exactly_as_documented() {
    for amount in EDGES {
        let limit = Limit::new(amount, Period::MINUTE);
        if amount == 0 {
            assert_eq!(limit, Err(LimitError::ZeroAmount));
            continue;
        }
        let limit = limit.unwrap();
        for name in AlgorithmName::ALL {
            let named = limit.clone().with_algorithm(name);
            let log_max = SlidingLog::AMOUNT_MAX;
            if name == AlgorithmName::SlidingLog && amount > log_max {
                let max = log_max;
                assert_eq!(named, Err(LimitError::LogTooLong { amount, max }));
                continue;
            }
            let named = named.unwrap();
            assert_eq!(named.algorithm(), name);
            for burst in EDGES {
                assert_burst(&named, burst);
            }
        }
    }
}

/// An algorithm of one's own is given, not named.
#[test]
fn a_custom_algorithm_is_refused_by_name() {
    for name in AlgorithmName::ALL {
        let limit = Limit::new(5, Period::MINUTE).unwrap();
        let limit = limit.with_algorithm(name).unwrap();
        let refused = limit.with_algorithm(AlgorithmName::Custom);
        assert_eq!(refused, Err(LimitError::CustomByName), "{name}");
    }
}

fn assert_burst(limit: &Limit, burst: u64) {
    let bursty = limit.clone().with_burst(burst);
    match limit.algorithm() {
        AlgorithmName::TokenBucket if burst == 0 => assert_eq!(bursty, Err(LimitError::ZeroBurst)),
        AlgorithmName::TokenBucket => assert_eq!(bursty.map(|limit| limit.capacity()), Ok(burst)),
        AlgorithmName::LeakyBucket if burst == u64::MAX => {
            assert!(matches!(bursty, Err(LimitError::Overflow { given, .. }) if given == 1 << 64));
        }
        AlgorithmName::LeakyBucket => {
            assert_eq!(bursty.map(|limit| limit.capacity()), Ok(burst + 1))
        }
        algorithm => assert_eq!(bursty, Err(LimitError::BurstOnWindow { burst, algorithm })),
    }
}

#[test]
fn bands_are_refused_when_the_hard_limit_cannot_be_counted() {
    for amount in EDGES.into_iter().skip(1) {
        for name in
            [AlgorithmName::FixedWindow, AlgorithmName::TokenBucket, AlgorithmName::SlidingLog]
        {
            let Ok(limit) = Limit::new(amount, Period::HOUR).unwrap().with_algorithm(name) else {
                continue;
            };
            for hard_at in [100, 101, 199, 200, 999, 1_000] {
                let hard = u128::from(amount) * u128::from(hard_at) / 100;
                let most = match name {
                    AlgorithmName::SlidingLog => u128::from(SlidingLog::AMOUNT_MAX),
                    _ => u128::from(u64::MAX),
                };
                let banded = limit.clone().with_bands(Bands::new(80, hard_at).unwrap());
                assert_eq!(banded.is_ok(), hard <= most, "{amount} {name} {hard_at}");
            }
        }
    }
    for (warn_at, hard_at) in [(0, 100), (101, 100), (80, 99), (80, 1_001), (u16::MAX, u16::MAX)] {
        let refused = Err(LimitError::Bands { warn_at, hard_at });
        assert_eq!(Bands::new(warn_at, hard_at), refused);
    }
}
