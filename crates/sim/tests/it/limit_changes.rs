//! Limits that change under a living key, at every fill level.
// Proves: D14

use std::error::Error;

use tollgate_core::{AlgorithmName, Cost, Limit, LimitError, Micros, Now, Period, State, Unit};
use tollgate_sim::{Duel, arrivals::Traffic};

/// A limit that holds `capacity` units, whatever the algorithm.
fn holding(capacity: u64, period: Period, name: AlgorithmName) -> Result<Limit, LimitError> {
    let limit = Limit::new(capacity, period)?.with_algorithm(name)?;
    match name {
        AlgorithmName::LeakyBucket => limit.with_burst(capacity - 1),
        _ => Ok(limit),
    }
}

fn now() -> Now {
    Now::at(Traffic::default().start.saturating_add(Micros::from_secs(7)))
}

fn filled(limit: &Limit, fill: u64) -> State {
    limit.step(limit.fresh(now()), now(), Cost::new(fill)).1
}

fn carried(from: &Limit, to: &Limit, fill: u64) -> State {
    to.law().adopt(from.law(), filled(from, fill), now())
}

/// What is left right after the change, as a peek says and as requests find.
fn assert_left(limit: &Limit, state: &State, left: u64) {
    let (peek, _) = limit.step(state.clone(), now(), Cost::ZERO);
    assert_eq!(peek.remaining(), left, "{limit:?} {state:?}");
    let (exactly, _) = limit.step(state.clone(), now(), Cost::new(left));
    assert!(exactly.is_allowed());
    let (too_much, _) = limit.step(state.clone(), now(), Cost::new(left + 1));
    assert!(!too_much.is_allowed(), "{limit:?} {state:?}");
}

#[test]
fn raising_frees_at_once_and_lowering_binds_at_once() -> Result<(), LimitError> {
    for name in AlgorithmName::ALL {
        for old in 1..=12 {
            for new in 1..=12 {
                let from = holding(old, Period::MINUTE, name)?;
                let to = holding(new, Period::MINUTE, name)?;
                // A bucket of another rate takes over what it holds and gains in a period.
                let most = if is_bucket(name) { 2 * new } else { old };
                for fill in 0..=old {
                    let state = carried(&from, &to, fill);
                    let kept = to.law().used(&state, now());
                    assert_eq!(kept, fill.min(most), "{from} to {to}");
                    assert_left(&to, &state, new.saturating_sub(fill));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn another_period_or_algorithm_carries_what_was_admitted() -> Result<(), LimitError> {
    let periods = [Period::SECOND, Period::MINUTE, Period::new(90, Unit::Second)?, Period::MONTH];
    for (old_name, new_name) in pairs() {
        for (old_period, new_period) in pairs_of(&periods) {
            let from = holding(6, old_period, old_name)?;
            let to = holding(9, new_period, new_name)?;
            for fill in 0..=6 {
                let state = carried(&from, &to, fill);
                assert_eq!(to.law().used(&state, now()), fill, "{from:?} to {to:?}");
                assert_left(&to, &state, 9 - fill);
            }
        }
    }
    Ok(())
}

#[test]
fn there_and_back_again_neither_zeroes_nor_doubles() -> Result<(), LimitError> {
    for (name, other_name) in pairs() {
        let limit = holding(8, Period::MINUTE, name)?;
        let other = holding(8, Period::HOUR, other_name)?;
        for fill in 0..=8 {
            let mut state = filled(&limit, fill);
            for _ in 0..5 {
                state = other.law().adopt(limit.law(), state, now());
                state = limit.law().adopt(other.law(), state, now());
            }
            assert_eq!(limit.law().used(&state, now()), fill, "{name} {other_name}");
        }
    }
    Ok(())
}

/// The carried cost runs out within one window of the new limit.
#[test]
fn what_is_carried_runs_out_with_the_new_window() -> Result<(), LimitError> {
    for (old_name, new_name) in pairs() {
        let from = holding(8, Period::DAY, old_name)?;
        let to = holding(8, Period::SECOND, new_name)?;
        let state = carried(&from, &to, 8);
        let (denied, _) = to.step(state.clone(), now(), Cost::ONE);
        let wait = Micros::from(denied.retry_after().unwrap_or_default());
        // A sliding window fades the carried cost over the window after the one it fell into.
        let windows = if new_name == AlgorithmName::SlidingWindow { 2 } else { 1 };
        assert!(
            !denied.is_allowed() && wait <= Micros::from_secs(windows),
            "{old_name} {new_name}"
        );
        let then = Now::at(now().steady.saturating_add(wait));
        assert!(to.step(state, then, Cost::ONE).0.is_allowed());
    }
    Ok(())
}

/// B2: a hundred spent, the burst lowered to one, looked at, and raised again: nothing was forgiven.
/// Premise: a cap on the debt used to cut it to the lowered burst, and 99 passed a second time.
#[test]
fn b2_lowering_and_raising_a_burst_forgives_nothing() -> Result<(), Box<dyn Error>> {
    for name in [AlgorithmName::TokenBucket, AlgorithmName::LeakyBucket] {
        // One of a leaky bucket's hundred leaves at once.
        let waits = u64::from(name == AlgorithmName::LeakyBucket);
        let limit = Limit::new(1, Period::MINUTE)?.with_algorithm(name)?;
        let (high, low) = (limit.clone().with_burst(100 - waits)?, limit.with_burst(1)?);
        for looks in [&[][..], &[0], &[1], &[0, 1, 2, 0]] {
            let mut duel = Duel::new(high.clone(), now());
            assert!(duel.step(now(), Cost::new(100))?.is_allowed());
            duel.replace_limit(low.clone(), now())?;
            for cost in looks {
                let decision = duel.step(now(), Cost::new(*cost))?;
                assert_eq!(decision.is_allowed(), *cost == 0);
            }
            duel.replace_limit(high.clone(), now())?;
            let denied = duel.step(now(), Cost::new(99))?;
            assert!(!denied.is_allowed(), "{name}");
            let wait = denied.retry_after().map(Micros::from);
            assert_eq!(wait, Some(Micros::from_secs(99 * 60)), "{name}");
        }
    }
    Ok(())
}

/// Every pair of bursts, at every fill level: the lower one binds, the higher one finds what it left.
#[test]
fn a_bucket_of_the_same_rate_keeps_its_debt_through_any_bursts() -> Result<(), LimitError> {
    for name in [AlgorithmName::TokenBucket, AlgorithmName::LeakyBucket] {
        let limit = Limit::new(1, Period::MINUTE)?.with_algorithm(name)?;
        for (burst, other) in pairs_of(&[1, 2, 3, 7, 30]) {
            let (limit, other) =
                (limit.clone().with_burst(burst)?, limit.clone().with_burst(other)?);
            for fill in 0..=limit.capacity() {
                let state = carried(&limit, &other, fill);
                assert_left(&other, &state, other.capacity().saturating_sub(fill));
                let (_, state) = other.step(state, now(), Cost::new(other.capacity() + 1));
                let state = limit.law().adopt(other.law(), state, now());
                assert_eq!(state, filled(&limit, fill), "{limit:?} {other:?}");
            }
        }
    }
    Ok(())
}

/// A thousand spent in a second are not paid back at one a day: a bucket that takes over more than it
/// holds is merely empty again after one period.
#[test]
fn a_much_lower_rate_locks_out_for_at_most_one_period() -> Result<(), LimitError> {
    let day = Period::DAY.length();
    for (old_name, new_name) in pairs() {
        if !is_bucket(new_name) {
            continue;
        }
        let from = holding(1_000, Period::SECOND, old_name)?;
        for (amount, burst) in pairs_of(&[1, 4, 50]) {
            let to = Limit::new(amount, Period::DAY)?.with_algorithm(new_name)?;
            let to = to.with_burst(burst)?;
            let most = to.capacity() + amount;
            for fill in [1, most - 1, most, most + 1, 500, 1_000] {
                let state = carried(&from, &to, fill);
                let used = to.law().used(&state, now());
                assert_eq!(used, fill.min(most), "{from:?} to {to:?}");
                let then = Now::at(now().steady.saturating_add(day));
                let empty = to.law().used(&state, then);
                assert!(empty <= to.capacity(), "{from:?} to {to:?}");
            }
            let interval = Micros::new(day.get() / amount);
            let state = carried(&from, &to, 1_000);
            let (denied, _) = to.step(state, now(), Cost::ONE);
            let wait = denied.retry_after().map(Micros::from);
            assert_eq!(wait, Some(day.saturating_add(interval)));
        }
    }
    Ok(())
}

/// A token that is half back is half missing after the change, too.
#[test]
fn buckets_keep_the_last_fraction() -> Result<(), LimitError> {
    for name in [AlgorithmName::TokenBucket, AlgorithmName::LeakyBucket] {
        for percent in [1, 33, 50, 99] {
            let from = holding(1, Period::SECOND, name)?;
            let to = holding(1, Period::MINUTE, name)?;
            let then = Now::at(now().steady.saturating_add(Micros::from_millis(10 * percent)));
            let state = to.law().adopt(from.law(), filled(&from, 1), then);
            let (denied, _) = to.step(state, then, Cost::ONE);
            let left = Micros::from_millis(600 * (100 - percent));
            assert_eq!(denied.retry_after().map(Micros::from), Some(left), "{name} {percent}");
        }
    }
    Ok(())
}

/// Every pair of algorithms, at every fill level, at several ages of what was admitted, against the
/// models; and on from there.
#[test]
fn every_change_at_every_fill_level_is_as_modelled() -> Result<(), Box<dyn Error>> {
    let periods = [Period::SECOND, Period::new(3, Unit::Second)?];
    let capacities = [(1, 5), (5, 1), (7, 7), (7, 10), (40, 2)];
    for (old_name, new_name) in pairs() {
        for (old_period, new_period) in pairs_of(&periods) {
            for (old, new) in capacities {
                let from = holding(old, old_period, old_name)?;
                let to = holding(new, new_period, new_name)?;
                for fill in 0..=old {
                    change_at_every_age(&from, &to, fill)?;
                }
            }
        }
    }
    Ok(())
}

fn change_at_every_age(from: &Limit, to: &Limit, fill: u64) -> Result<(), Box<dyn Error>> {
    for age_ms in [0, 1, 333, 999, 1_000, 1_400, 2_500] {
        let mut duel = Duel::new(from.clone(), now());
        duel.step(now(), Cost::new(fill))?;
        let mut at = now().steady.saturating_add(Micros::from_millis(age_ms));
        duel.replace_limit(to.clone(), Now::at(at))?;
        for cost in [0, 1, to.capacity(), 1] {
            duel.step(Now::at(at), Cost::new(cost))?;
            at = at.saturating_add(Micros::from_millis(150));
        }
    }
    Ok(())
}

fn is_bucket(name: AlgorithmName) -> bool {
    matches!(name, AlgorithmName::TokenBucket | AlgorithmName::LeakyBucket)
}

fn pairs() -> Vec<(AlgorithmName, AlgorithmName)> {
    pairs_of(&AlgorithmName::ALL)
}

fn pairs_of<T: Copy>(these: &[T]) -> Vec<(T, T)> {
    let with_each = |one: T| these.iter().map(move |other| (one, *other));
    these.iter().copied().flat_map(with_each).collect()
}
