//! Which limits a script in Redis counts exactly: the edge, on both sides.
// Proves: C2

use tollgate_core::{AlgorithmName, Bands, Limit, LimitError};

const EXACT: u64 = 1 << 53;

fn limit(text: &str) -> Limit {
    text.parse().unwrap()
}

/// The thing that is too large, with the largest that is not.
fn beyond(limit: &Limit) -> Option<(&'static str, u64)> {
    match limit.fits_scripts() {
        Ok(()) => None,
        Err(LimitError::BeyondScripts { what, max, .. }) => Some((what, max)),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn windows_hold_less_than_two_to_the_53() {
    for name in [AlgorithmName::SlidingWindow, AlgorithmName::FixedWindow] {
        let of = |amount: u64| Limit::new(amount, limit("1/day").period()).unwrap();
        let fits = of(EXACT - 1).with_algorithm(name).unwrap();
        assert_eq!(beyond(&fits), None, "{name}");
        let too_large = of(EXACT).with_algorithm(name).unwrap();
        let wanted = Some(("the amount at hard_at", EXACT - 1));
        assert_eq!(beyond(&too_large), wanted, "{name}");
        // What counts is how far it goes, not where it warns.
        let soft = fits.with_bands(Bands::new(80, 110).unwrap()).unwrap();
        assert_eq!(beyond(&soft), wanted, "{name}");
    }
}

#[test]
fn windows_end_within_35_years() {
    assert_eq!(beyond(&limit("5/13000day")), None);
    let too_long = beyond(&limit("5/13100day"));
    assert_eq!(too_long, Some(("a window in microseconds", 1 << 50)));
}

#[test]
fn buckets_hold_fill_and_gain_so_much() {
    let bucket = |text: &str, burst: u64| limit(text).with_burst(burst).unwrap();
    assert_eq!(beyond(&bucket("1000000/s", 1_000_000)), None);
    assert_eq!(beyond(&bucket("7/12month", 1)), None);
    let (what, max) = beyond(&bucket("1000000/s", EXACT)).unwrap();
    assert_eq!((what, max), ("the capacity of a bucket at hard_at", EXACT - 1));
    // 2^52 + 1 shares no factor with a second: so many units a microsecond.
    let (what, max) = beyond(&bucket("4503599627370497/s", 10)).unwrap();
    assert_eq!((what, max), ("the amount in lowest terms", (1 << 52) - 1));
    // The same amount and more, but in lowest terms it is 1.
    assert_eq!(beyond(&bucket("1000000000000/s", 10)), None);
    let (what, max) = beyond(&bucket("1/day", 1_000_000)).unwrap();
    assert_eq!((what, max), ("the microseconds that the bucket takes to fill", 1 << 50));
    let leaky = limit("1/day").with_algorithm(AlgorithmName::LeakyBucket).unwrap();
    assert_eq!(beyond(&leaky), None);
    assert!(beyond(&leaky.with_burst(1_000_000).unwrap()).is_some());
}

#[test]
fn a_log_always_fits() {
    let log = limit("1000/30day").with_algorithm(AlgorithmName::SlidingLog).unwrap();
    assert_eq!(beyond(&log), None);
}

#[test]
fn the_error_says_what_to_do() {
    let error = limit("9007199254740992/day").fits_scripts().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the amount at hard_at is 9007199254740992, which cannot be counted exactly in Redis: the largest is \
         9007199254740991; lower the amount or hard_at, or count on each node with consistency: local"
    );
}
