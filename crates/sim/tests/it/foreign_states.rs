//! Any state, any moment, any cost: a step answers, it never panics.
//!
//! A store may hand back what another release, a corrupted file or a clock at the end of time left.
// Proves: D2, D5, D7

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_assert, prop_oneof, proptest};
use tollgate_core::{
    AlgorithmName, BucketState, Cost, FixedState, Log, LogEntry, Now, SlidingState, State,
    Timestamp,
};
use tollgate_sim::{Rng, limits};

/// Every magnitude, and the ends.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(u64::MAX),
        (any::<u64>(), 0..64_u32).prop_map(|(bits, shift)| bits >> shift),
    ]
}

fn moment() -> impl Strategy<Value = Timestamp> {
    number().prop_map(Timestamp::from_micros)
}

fn state() -> impl Strategy<Value = State> {
    let entry = (moment(), number()).prop_map(|(at, cost)| LogEntry { at, cost });
    prop_oneof![
        (number(), number(), moment()).prop_map(|(high, low, at)| {
            let full_at = u128::from(high) << 64 | u128::from(low);
            State::Bucket(BucketState { full_at, at })
        }),
        (number(), number()).prop_map(|(window, used)| State::Fixed(FixedState { window, used })),
        (number(), number(), number()).prop_map(|(window, current, previous)| {
            State::Sliding(SlidingState { window, current, previous })
        }),
        proptest::collection::vec(entry, 0..6).prop_map(|entries| State::Log(Log::new(entries))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn a_step_from_anywhere_answers(
        seed in any::<u64>(),
        wall in moment(),
        steady in moment(),
        cost in number(),
        state in state(),
    ) {
        let mut rng = Rng::new(seed);
        let (name, next_name) = (rng.pick(&AlgorithmName::ALL), rng.pick(&AlgorithmName::ALL));
        let limits = (limits::any(&mut rng, name), limits::any(&mut rng, next_name));
        let (Ok(limit), Ok(next)) = limits else {
            return Ok(());
        };
        let now = Now { wall, steady };
        let (decision, stepped) = limit.step(state, now, Cost::new(cost));
        prop_assert!(decision.is_allowed() || cost > 0);
        prop_assert!(decision.remaining() <= decision.limit());
        if cost > limit.law().capacity() {
            prop_assert!(!decision.is_allowed());
            prop_assert!(decision.retry_after().is_none());
        }
        let used = limit.law().used(&stepped, now);
        let refunded = limit.law().refund(stepped, now, Cost::new(cost));
        prop_assert!(limit.law().used(&refunded, now) <= used);
        let carried = next.law().adopt(limit.law(), refunded, now);
        let (peek, _) = next.step(carried, now, Cost::ZERO);
        prop_assert!(peek.is_allowed());
    }
}
