//! What is promised about single answers.
// Proves: D4, D5, D6, D10, D11

use tollgate_core::{
    AlgorithmName, Band, Bands, Cost, Limit, Micros, Now, Period, State, Timestamp, Unit,
};
use tollgate_sim::{Rng, arrivals::Traffic, limits};

/// A key in any condition a small limit can get it into, and the moment after.
fn used_key(seed: u64, name: AlgorithmName) -> (Limit, State, Now) {
    let mut rng = Rng::new(seed);
    let limit = limits::small(&mut rng, name);
    let limit = limit.unwrap_or_else(|_| unreachable!("small limits are valid"));
    let period = limit.period().length().get();
    let mut at = Traffic::default().start;
    let mut state = limit.fresh(Now::at(at));
    for _ in 0..rng.below(12) {
        let gap = rng.below(period) * rng.below(2);
        at = at.saturating_add(Micros::new(gap));
        let cost = Cost::new(rng.between(1, limit.capacity()));
        (_, state) = limit.step(state, Now::at(at), cost);
    }
    (limit, state, Now::at(at))
}

fn for_every_key(keys: u64, check: impl Fn(&Limit, &State, Now)) {
    for name in AlgorithmName::ALL {
        for seed in 0..keys {
            let (limit, state, now) = used_key(seed, name);
            check(&limit, &state, now);
        }
    }
}

fn later(now: Now, wait: Micros) -> Now {
    Now::at(now.steady.saturating_add(wait))
}

#[test]
fn a_denied_request_and_a_peek_leave_the_state_bit_equal() {
    for_every_key(3_000, |limit, state, now| {
        for cost in [0, 1, limit.capacity(), limit.law().capacity() + 1, u64::MAX] {
            let (decision, next) = limit.step(state.clone(), now, Cost::new(cost));
            if cost == 0 || !decision.is_allowed() {
                assert_eq!(next, *state, "{limit:?} cost {cost}");
            }
        }
    });
}

/// At that instant admitted, one tick earlier denied.
#[test]
fn retry_after_is_exact_to_the_tick() {
    for_every_key(4_000, |limit, state, now| {
        for cost in 1..=limit.law().capacity() {
            let cost = Cost::new(cost);
            let (decision, _) = limit.step(state.clone(), now, cost);
            let wait = Micros::from(decision.retry_after().unwrap_or_default());
            assert_eq!(wait.is_zero(), decision.is_allowed());
            if wait.is_zero() {
                continue;
            }
            let (on_time, _) = limit.step(state.clone(), later(now, wait), cost);
            assert!(on_time.is_allowed(), "{limit:?} {wait}");
            let tick_before = wait.saturating_sub(Micros::new(1));
            let (early, _) = limit.step(state.clone(), later(now, tick_before), cost);
            assert!(!early.is_allowed(), "{limit:?} {wait}");
        }
    });
}

/// No earlier tick admits either: every one of them is tried.
#[test]
fn no_tick_before_retry_after_admits() {
    let periods = [1, 2].map(|count| Period::new(count, Unit::Millisecond).unwrap());
    let mut rng = Rng::new(5);
    for name in AlgorithmName::ALL {
        for _ in 0..60 {
            let limit = Limit::new(rng.between(1, 9), rng.pick(&periods)).unwrap();
            let limit = limit.with_algorithm(name).unwrap();
            let start = Traffic::default().start.as_micros() + rng.below(2_000);
            let now = Now::at(Timestamp::from_micros(start));
            let cost = Cost::new(rng.between(1, limit.capacity()));
            let full = Cost::new(limit.capacity());
            let (_, state) = limit.step(limit.fresh(now), now, full);
            let (denied, _) = limit.step(state.clone(), now, cost);
            let wait = Micros::from(denied.retry_after().unwrap()).get();
            for micros in 0..wait {
                let (early, _) = limit.step(state.clone(), later(now, Micros::new(micros)), cost);
                assert!(!early.is_allowed(), "{limit:?} {micros} of {wait}");
            }
            let (on_time, _) = limit.step(state, later(now, Micros::new(wait)), cost);
            assert!(on_time.is_allowed(), "{limit:?} {wait}");
        }
    }
}

#[test]
fn a_cost_that_can_never_fit_is_denied_without_retry_and_drains_nothing() {
    for_every_key(1_000, |limit, state, now| {
        for cost in [limit.law().capacity() + 1, 1 << 40, u64::MAX] {
            let (decision, next) = limit.step(state.clone(), now, Cost::new(cost));
            assert!(!decision.is_allowed());
            assert_eq!(decision.retry_after(), None);
            assert_eq!(decision.remaining(), 0);
            assert_eq!(next, *state);
        }
    });
}

#[test]
fn a_cost_of_zero_is_always_allowed_and_tells_what_is_left() {
    for_every_key(2_000, |limit, state, now| {
        let (peek, _) = limit.step(state.clone(), now, Cost::ZERO);
        assert!(peek.is_allowed());
        assert!(peek.delay().is_zero());
        let left = peek.remaining();
        let (exactly, _) = limit.step(state.clone(), now, Cost::new(left));
        assert!(exactly.is_allowed());
        if limit.bands().hard_at() == 100 {
            let (too_much, _) = limit.step(state.clone(), now, Cost::new(left + 1));
            assert!(!too_much.is_allowed(), "{limit:?} {left}");
        }
    });
}

#[test]
fn a_reset_is_when_the_window_ends_or_the_bucket_is_full() {
    for_every_key(2_000, |limit, state, now| {
        let (peek, _) = limit.step(state.clone(), now, Cost::ZERO);
        let reset = Micros::from(peek.reset_after());
        let law = limit.law();
        match limit.algorithm() {
            AlgorithmName::FixedWindow | AlgorithmName::SlidingWindow => {
                let window = limit.period().window_at(now.wall);
                let end = limit.period().start_of(window + 1);
                assert_eq!(later(now, reset).wall, end);
            }
            _ => {
                assert_eq!(law.used(state, later(now, reset)), 0);
                let tick_before = later(now, reset.saturating_sub(Micros::new(1)));
                assert!(reset.is_zero() || law.used(state, tick_before) > 0);
            }
        }
    });
}

#[test]
fn a_refund_never_lifts_above_the_limit() {
    for_every_key(2_000, |limit, state, now| {
        let law = limit.law();
        let used = law.used(state, now);
        for cost in [0, 1, 2, limit.capacity(), u64::MAX] {
            let refunded = law.refund(state.clone(), now, Cost::new(cost));
            let left = law.used(&refunded, now);
            assert!(left <= used);
            assert!(left >= used.saturating_sub(cost), "{limit:?} {used} {cost}");
            let most = Cost::new(law.capacity() + 1);
            assert!(!limit.step(refunded, now, most).0.is_allowed());
        }
    });
}

#[test]
fn a_refund_undoes_a_charge() {
    for_every_key(2_000, |limit, state, now| {
        let law = limit.law();
        let (decision, charged) = limit.step(state.clone(), now, Cost::ONE);
        if decision.is_allowed() {
            let refunded = law.refund(charged, now, Cost::ONE);
            assert_eq!(law.used(&refunded, now), law.used(state, now), "{limit:?}");
        }
    });
}

/// What was admitted in a window that is over cannot be bought back.
#[test]
fn an_ended_window_credits_nothing() {
    for_every_key(1_000, |limit, state, now| {
        let window = limit.period().window_at(now.wall);
        let next_window = match limit.algorithm() {
            AlgorithmName::FixedWindow | AlgorithmName::SlidingWindow => {
                limit.period().start_of(window + 1)
            }
            _ => now.steady.saturating_add(Micros::new(1 << 50)),
        };
        let next_window = Now::at(next_window);
        let refunded = limit.law().refund(state.clone(), next_window, Cost::new(3));
        assert_eq!(refunded, *state, "{limit:?}");
    });
}

/// D10 at every fill level: warn from `warn_at`, mark above the limit, deny above `hard_at`.
#[test]
fn bands_follow_their_thresholds() {
    let now = Now::at(Traffic::default().start);
    for name in AlgorithmName::ALL {
        let bands = Bands::new(80, 120).unwrap();
        let limit = Limit::new(10, Period::HOUR).unwrap();
        let limit = limit.with_algorithm(name).unwrap();
        let limit = match name {
            AlgorithmName::LeakyBucket => limit.with_burst(9).unwrap(),
            _ => limit,
        };
        let limit = limit.with_bands(bands).unwrap();
        let mut state = limit.fresh(now);
        for used in 1..=13 {
            let (decision, next) = limit.step(state, now, Cost::ONE);
            state = next;
            let expected = match used {
                ..8 => Band::Normal,
                8..=10 => Band::Warn,
                11 | 12 => Band::Soft,
                _ => Band::Denied,
            };
            assert_eq!(decision.band(), expected, "{name} {used}");
            assert_eq!(decision.remaining(), 10_u64.saturating_sub(used));
            assert_eq!(decision.limit(), 10);
        }
    }
}
