//! Random limits, valid by construction.

use tollgate_core::{AlgorithmName, Bands, Limit, LimitError, Period, Unit};

use crate::Rng;

/// A limit of a few units: every fill level is reached within a short schedule.
///
/// ```
/// use tollgate_core::AlgorithmName;
/// use tollgate_sim::{Rng, limits};
///
/// let limit = limits::small(&mut Rng::new(3), AlgorithmName::TokenBucket)?;
/// assert_eq!(limit.algorithm(), AlgorithmName::TokenBucket);
/// assert!(limit.amount() <= 20);
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
///
/// # Errors
///
/// None for the five algorithms; a refusal would be a bug in the limits.
pub fn small(rng: &mut Rng, name: AlgorithmName) -> Result<Limit, LimitError> {
    let amount = rng.between(1, 20);
    let mut limit = Limit::new(amount, small_period(rng)?)?.with_algorithm(name)?;
    if has_burst(name) && rng.one_in(2) {
        let least = u64::from(name == AlgorithmName::TokenBucket);
        limit = limit.with_burst(rng.between(least, 12))?;
    }
    if rng.one_in(4) {
        let (warn_at, hard_at) =
            (rng.pick(&[1, 50, 80, 99, 100]), rng.pick(&[100, 101, 120, 155, 300]));
        limit = limit.with_bands(Bands::new(warn_at, hard_at)?)?;
    }
    Ok(limit)
}

/// A limit of any size: amount, burst and period from the whole range, and its ends.
///
/// ```
/// use tollgate_core::AlgorithmName;
/// use tollgate_sim::{Rng, limits};
///
/// let mut rng = Rng::new(3);
/// let refused = (0..100).filter(|_| limits::any(&mut rng, AlgorithmName::TokenBucket).is_err()).count();
/// assert!((1..60).contains(&refused));
/// ```
///
/// # Errors
///
/// As the constructors of a limit say: numbers of zero and numbers that are too large are among
/// those tried.
pub fn any(rng: &mut Rng, name: AlgorithmName) -> Result<Limit, LimitError> {
    let period = any_period(rng)?;
    let mut limit = Limit::new(rng.any_size(), period)?;
    if name == AlgorithmName::SlidingLog {
        limit = Limit::new(limit.amount() % 1_100, period)?;
    }
    limit = limit.with_algorithm(name)?;
    if has_burst(name) && rng.one_in(2) {
        limit = limit.with_burst(rng.any_size())?;
    }
    if rng.one_in(3) {
        let hard_at = rng.pick(&[100, 101, 120, 999, 1_000]);
        limit = limit.with_bands(Bands::new(rng.pick(&[1, 80, 100]), hard_at)?)?;
    }
    Ok(limit)
}

fn any_period(rng: &mut Rng) -> Result<Period, LimitError> {
    let unit = rng.pick(&Unit::ALL);
    let longest = Period::LENGTH_MAX.get() / Period::new(1, unit)?.length().get();
    let count = match rng.below(12) {
        0 => rng.any_size(),
        1 => longest,
        2 => longest + 1,
        3 => 1,
        _ => (rng.between(1, longest) >> rng.below(54)).max(1),
    };
    Period::new(count, unit)
}

/// Whether the algorithm takes a burst.
pub(crate) fn has_burst(name: AlgorithmName) -> bool {
    matches!(name, AlgorithmName::TokenBucket | AlgorithmName::LeakyBucket)
}

fn small_period(rng: &mut Rng) -> Result<Period, LimitError> {
    let (count, unit) = rng.pick(&[
        (1, Unit::Millisecond),
        (1, Unit::Millisecond),
        (2, Unit::Millisecond),
        (7, Unit::Millisecond),
        (1, Unit::Second),
        (3, Unit::Second),
        (1, Unit::Minute),
        (1, Unit::Hour),
        (1, Unit::Day),
        (1, Unit::Week),
        (2, Unit::Week),
        (1, Unit::Month),
        (3, Unit::Month),
    ]);
    Period::new(count, unit)
}
