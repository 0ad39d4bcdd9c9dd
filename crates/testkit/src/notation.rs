//! A limit with everything that rules give apart, in one line of a test.

use std::fmt::Write;

use tollgate_core::{AlgorithmName, Bands, Limit};

/// Reads `10/s token_bucket burst 20 warn 50 hard 120`; all but the first word may be left out.
///
/// ```
/// use tollgate_core::AlgorithmName;
///
/// let limit = tollgate_testkit::limit("10/s leaky_bucket burst 5 hard 120");
/// assert_eq!((limit.algorithm(), limit.burst()), (AlgorithmName::LeakyBucket, Some(5)));
/// assert_eq!(limit.bands().hard_at(), 120);
/// ```
///
/// # Panics
///
/// If that is not a limit.
pub fn limit(text: &str) -> Limit {
    let mut words = text.split_whitespace();
    let first = words.next().expect("a limit");
    let mut limit: Limit = first.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    while let Some(word) = words.next() {
        let mut number = || -> u64 {
            let next = words.next().expect("a number after the word");
            next.parse().expect("a number after the word")
        };
        let percent = |number: u64| u16::try_from(number).expect("a percentage");
        let bands = limit.bands();
        let built = match word {
            "burst" => limit.with_burst(number()),
            "warn" => Bands::new(percent(number()), bands.hard_at())
                .and_then(|bands| limit.with_bands(bands)),
            "hard" => Bands::new(bands.warn_at(), percent(number()))
                .and_then(|bands| limit.with_bands(bands)),
            name => name.parse::<AlgorithmName>().and_then(|name| limit.with_algorithm(name)),
        };
        limit = built.unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    limit
}

/// Writes what [`limit`] reads.
///
/// ```
/// use tollgate_testkit::{describe, limit};
///
/// assert_eq!(describe(&limit("10/s burst 20")), "10/s token_bucket burst 20");
/// ```
pub fn describe(limit: &Limit) -> String {
    let mut text = format!("{limit} {}", limit.algorithm());
    if let Some(burst) = limit.burst() {
        write!(text, " burst {burst}").expect("a string takes what is written");
    }
    let bands = limit.bands();
    if bands != Bands::default() {
        let (warn_at, hard_at) = (bands.warn_at(), bands.hard_at());
        write!(text, " warn {warn_at} hard {hard_at}").expect("a string takes what is written");
    }
    text
}
