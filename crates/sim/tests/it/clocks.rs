//! Clocks that are set back and forth.
// Proves: D7

use tollgate_core::{AlgorithmName, Cost, Decision, Limit, Micros, Now, Period, State, Timestamp};
use tollgate_sim::{Rng, limits as random};

const SECS: [u64; 8] = [1, 10, 59, 60, 3_600, 86_400, 90_000, 172_800];

const PERIODS: [Period; 6] =
    [Period::SECOND, Period::MINUTE, Period::HOUR, Period::DAY, Period::WEEK, Period::MONTH];

/// Which hand is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hand {
    Wall,
    Both,
}

fn limits() -> impl Iterator<Item = Limit> {
    let named = |period| {
        AlgorithmName::ALL
            .map(|name| Limit::new(5, period).and_then(|limit| limit.with_algorithm(name)))
    };
    PERIODS.into_iter().flat_map(named).flatten()
}

/// The first tick, somewhere in the middle, and the last tick of a window.
fn moments(period: Period) -> [Now; 3] {
    let start = Timestamp::from_secs(1_772_323_200); // 2026-03-01T00:00:00Z
    let window = period.window_at(start);
    let begin = period.start_of(window);
    let middle = begin.saturating_add(Micros::new(period.length().get() / 3));
    let end = period.start_of(window + 1);
    [begin, middle, end.saturating_sub(Micros::new(1))].map(Now::at)
}

fn forward(now: Now, by: Micros, hand: Hand) -> Now {
    let steady = match hand {
        Hand::Wall => now.steady,
        Hand::Both => now.steady.saturating_add(by),
    };
    let wall = now.wall.saturating_add(by);
    Now { wall, steady }
}

fn back(now: Now, by: Micros, hand: Hand) -> Now {
    let steady = match hand {
        Hand::Wall => now.steady,
        Hand::Both => now.steady.saturating_sub(by),
    };
    let wall = now.wall.saturating_sub(by);
    Now { wall, steady }
}

fn exhausted(limit: &Limit, now: Now) -> State {
    let all = Cost::new(limit.capacity());
    limit.step(limit.fresh(now), now, all).1
}

fn wait(decision: Decision) -> Micros {
    Micros::from(decision.retry_after().unwrap_or_default())
}

fn follows_the_wall(limit: &Limit) -> bool {
    matches!(limit.algorithm(), AlgorithmName::FixedWindow | AlgorithmName::SlidingWindow)
}

/// The longest window of the limit: a month may have 31 days.
fn longest_window(limit: &Limit) -> Micros {
    match limit.period() == Period::MONTH {
        true => Micros::from_secs(31 * 86_400),
        false => limit.period().length(),
    }
}

/// How much longer a step may lock out: one window. A window's state knows its window only, so a step
/// of more than one window that crosses a single edge looks like a small one, and costs itself.
fn longest_delay(limit: &Limit, now: Now, stepped: Now) -> Micros {
    let window = |now: Now| limit.period().window_at(now.wall);
    let by = now.wall.since(stepped.wall);
    if follows_the_wall(limit) && window(now).saturating_sub(window(stepped)) == 1 {
        by.max(longest_window(limit))
    } else {
        longest_window(limit)
    }
}

/// Calls `check` with an exhausted key and every step of the clock it may suffer.
fn for_every_step(check: impl Fn(&Limit, &State, Now, Now)) {
    for limit in limits() {
        for now in moments(limit.period()) {
            let state = exhausted(&limit, now);
            for by in SECS.map(Micros::from_secs) {
                for hand in [Hand::Wall, Hand::Both] {
                    check(&limit, &state, now, back(now, by, hand));
                    check(&limit, &state, now, forward(now, by, hand));
                }
            }
        }
    }
}

#[test]
fn no_step_locks_out_for_more_than_one_window_longer() {
    for_every_step(|limit, state, now, stepped| {
        for cost in [Cost::ONE, Cost::new(limit.capacity())] {
            let without = wait(limit.step(state.clone(), now, cost).0);
            let (decision, next) = limit.step(state.clone(), stepped, cost);
            let most = without.saturating_add(longest_delay(limit, now, stepped));
            assert!(wait(decision) <= most, "{limit} {now:?} {stepped:?} {decision:?}");
            // The wait is honest after the step, too.
            let then = forward(stepped, wait(decision), Hand::Both);
            assert!(decision.is_allowed() || limit.step(next, then, cost).0.is_allowed());
        }
    });
}

#[test]
fn a_step_back_frees_nothing() {
    for_every_step(|limit, state, now, stepped| {
        let is_back = stepped.wall < now.wall || stepped.steady < now.steady;
        if is_back {
            let (decision, next) = limit.step(state.clone(), stepped, Cost::ONE);
            assert!(!decision.is_allowed(), "{limit} {now:?} {stepped:?}");
            let (again, _) = limit.step(next, stepped, Cost::ONE);
            assert_eq!(again, decision);
        }
    });
}

#[test]
fn what_counts_elapsed_time_does_not_see_the_wall() {
    for_every_step(|limit, state, now, stepped| {
        if !follows_the_wall(limit) && stepped.steady == now.steady {
            let seen = limit.step(state.clone(), stepped, Cost::ONE);
            assert_eq!(seen, limit.step(state.clone(), now, Cost::ONE));
        }
    });
}

/// Somebody sets the clock ahead, the key is used up there as well, and the clock is set right again.
#[test]
fn coming_back_from_the_future_frees_nothing() {
    for_every_step(|limit, state, now, stepped| {
        let spend = |mut state: State, now: Now| {
            loop {
                let (decision, next) = limit.step(state, now, Cost::ONE);
                state = next;
                if !decision.is_allowed() {
                    return state;
                }
            }
        };
        let state = spend(state.clone(), stepped);
        let (decision, _) = limit.step(state, now, Cost::ONE);
        assert!(!decision.is_allowed() || now.wall > stepped.wall, "{limit} {stepped:?}");
    });
}

/// B1: the ten of the window that just ended still count when the clock is set back by an hour.
/// Premise: counts moved to the end of another window used to fade there, and eight passed again.
#[test]
fn b1_a_step_back_hands_out_no_second_budget() {
    let limit: Limit = "10/min".parse().unwrap();
    let [first, _, tick_before_edge] = moments(Period::MINUTE);
    let edge = forward(first, Period::MINUTE.length(), Hand::Both);
    let full = exhausted(&limit, tick_before_edge);
    let hour_less = Micros::from_secs(59 * 60 + 7);
    let in_six_secs = forward(edge, Micros::from_secs(6), Hand::Both);
    let a_tick_later = forward(in_six_secs, Micros::new(1), Hand::Both);
    // Six seconds after the edge nine of the ten still count; a tick later eight do, and two fit.
    for (then, is_allowed) in [(in_six_secs, false), (a_tick_later, true)] {
        let (two, state) = limit.step(full.clone(), then, Cost::new(2));
        assert_eq!(two.is_allowed(), is_allowed);
        let stepped = back(then, hour_less, Hand::Wall);
        let (eight, state) = limit.step(state, stepped, Cost::new(8));
        assert!(!eight.is_allowed(), "{state:?}");
        assert_eq!(limit.law().used(&state, stepped), 10);
    }
}

/// Whatever was asked before, by whatever the clock is set back: no unit in use is free after it.
#[test]
fn a_step_back_never_lowers_what_is_in_use() {
    for name in AlgorithmName::ALL {
        for seed in 0..20_000 {
            let mut rng = Rng::new(seed);
            let limit = random::small(&mut rng, name).unwrap();
            let length = limit.period().length().get();
            let mut now = moments(limit.period())[2];
            let mut state = limit.fresh(now);
            for _ in 0..rng.between(1, 5) {
                let cost = Cost::new(rng.between(1, limit.law().capacity()));
                (_, state) = limit.step(state, now, cost);
                now = forward(now, Micros::new(rng.below(length)), Hand::Both);
            }
            let periods = rng.pick(&[1, 2, 3, 60]);
            let by = Micros::new(rng.below(periods * length));
            let stepped = back(now, by, rng.pick(&[Hand::Wall, Hand::Both]));
            let used = limit.law().used(&state, now);
            let one_more = Cost::new(limit.law().capacity() - used + 1);
            let (decision, next) = limit.step(state.clone(), stepped, one_more);
            assert!(!decision.is_allowed(), "{limit:?} {state:?} {now:?} {by}");
            assert!(limit.law().used(&next, stepped) >= used);
        }
    }
}

/// Up to one period the state's own time counts; from the next tick on its debt of then is its debt now.
#[test]
fn a_bucket_set_back_by_more_than_a_period_owes_what_it_owed() {
    let tick = Micros::new(1);
    for limit in limits().filter(|limit| !follows_the_wall(limit)) {
        if limit.algorithm() == AlgorithmName::SlidingLog {
            continue;
        }
        let [_, now, _] = moments(limit.period());
        let length = limit.period().length();
        for fill in 1..=limit.capacity() {
            let all = Cost::new(limit.capacity());
            let (_, state) = limit.step(limit.fresh(now), now, Cost::new(fill));
            let (then, _) = limit.step(state.clone(), now, all);
            let (late, kept) = limit.step(state.clone(), back(now, length, Hand::Both), all);
            assert_eq!(wait(late), wait(then).saturating_add(length), "{limit}");
            assert_eq!(kept, state);
            let by = length.saturating_add(tick);
            let stepped = back(now, by, Hand::Both);
            let (moved, state) = limit.step(state, stepped, all);
            assert_eq!(moved, then, "{limit} {fill}");
            assert_eq!(limit.step(state, stepped, all).0, then);
        }
    }
}

/// Hammers a key while the wall clock swings, and counts what passes.
fn passed_while_swinging(limit: &Limit, by: Micros, swings: u64) -> (u64, Micros) {
    let start = moments(limit.period())[1];
    let (mut now, mut passed) = (start, 0);
    let mut state = limit.fresh(now);
    for swing in 0..swings {
        for _ in 0..3 * limit.capacity() {
            let (decision, next) = limit.step(state, now, Cost::ONE);
            state = next;
            passed += u64::from(decision.is_allowed());
            now = forward(now, Micros::from_millis(50), Hand::Both);
        }
        now = match swing % 2 {
            0 => forward(now, by, Hand::Wall),
            _ => back(now, by, Hand::Wall),
        };
    }
    (passed, now.steady.since(start.steady))
}

/// A step ahead may begin a new window; a step back never does.
#[test]
fn swinging_hands_out_at_most_one_budget_for_each_step_ahead() {
    for limit in limits() {
        for by in SECS.map(Micros::from_secs) {
            let (passed, elapsed) = passed_while_swinging(&limit, by, 40);
            let windows = elapsed.get() / limit.period().length().get() + 2;
            let steps_ahead = if follows_the_wall(&limit) { 20 } else { 0 };
            let most = limit.amount() * (windows + steps_ahead);
            assert!(passed <= most, "{limit} {by}: {passed} > {most}");
        }
    }
}

/// Within one window the state's own time counts, however often the clock swings.
#[test]
fn swinging_within_a_window_hands_out_at_most_the_next_budget() {
    for limit in limits() {
        for by in SECS.map(Micros::from_secs) {
            if by <= limit.period().length() {
                let (passed, elapsed) = passed_while_swinging(&limit, by, 40);
                let windows = elapsed.get() / limit.period().length().get() + 2;
                assert!(passed <= limit.amount() * windows, "{limit} {by}: {passed}");
            }
        }
    }
}
