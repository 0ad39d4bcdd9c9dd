//! A limit that changes under a live counter.

use tollgate_core::{Limit, Store};

use super::{
    Make, Rig,
    rig::{H, MIN, S, charge, every_algorithm, every_algorithm_per},
};
use crate::limit;

/// How full a counter of ten can be.
const FILLED: [u64; 5] = [0, 1, 5, 9, 10];

/// A raised limit frees an exhausted key at once, and by the difference only.
// Proves: D14
pub fn raised_limits_free_at_once<T: Store>(make: &impl Make<Store = T>) {
    for (old, new) in every_algorithm(10).iter().zip(&every_algorithm(20)) {
        for filled in FILLED {
            let rig = filled_rig(make, old, filled);
            assert_eq!(rig.left(new), 20 - filled, "{old:?} at {filled}");
            assert_eq!(rig.admitted(new, 50), 20 - filled, "{old:?} at {filled}");
        }
    }
}

/// A lowered limit binds at once: what was admitted counts against it.
// Proves: D14
pub fn lowered_limits_bind_at_once<T: Store>(make: &impl Make<Store = T>) {
    for (old, new) in every_algorithm(20).iter().zip(&every_algorithm(10)) {
        for filled in [0, 5, 9, 10, 11, 20] {
            let rig = filled_rig(make, old, filled);
            let room = 10_u64.saturating_sub(filled);
            assert_eq!(rig.left(new), room, "{old:?} at {filled}");
            assert_eq!(rig.admitted(new, 50), room, "{old:?} at {filled}");
            assert!(rig.take(new, 1).retry_after().is_some(), "it will pass again");
            rig.pass(3 * H);
            assert_eq!(rig.admitted(new, 50), 10, "{old:?} at {filled}");
        }
    }
}

/// Another algorithm of the same period: what was admitted counts as admitted now.
// Proves: D14
pub fn a_changed_algorithm_keeps_what_was_admitted<T: Store>(make: &impl Make<Store = T>) {
    for old in &every_algorithm(10) {
        for new in &every_algorithm(10) {
            for filled in FILLED {
                let rig = filled_rig(make, old, filled);
                assert_eq!(rig.left(new), 10 - filled, "{old:?} to {new:?}");
                assert_eq!(rig.admitted(new, 50), 10 - filled, "{old:?} to {new:?}");
            }
        }
    }
}

/// Another period, of any algorithm: the old counter is carried over, once, and is gone.
// Proves: D14
pub fn a_changed_period_carries_over_once<T: Store>(make: &impl Make<Store = T>) {
    for old in every_algorithm(10) {
        for new in &every_algorithm_per(10, "day") {
            for filled in FILLED {
                let rig = filled_rig(make, &old, filled);
                let former = [limit("3/min"), old.clone()];
                let replacing = |cost| [charge(new, cost).replacing(&former)];
                let look = rig.charge(&replacing(0));
                assert_eq!(look.binding().remaining(), 10 - filled, "{old:?} to {new:?}");
                for left in (0..10 - filled).rev() {
                    let verdict = rig.charge(&replacing(1));
                    assert_eq!(verdict.binding().remaining(), left, "{old:?} to {new:?}");
                }
                assert!(!rig.charge(&replacing(1)).is_allowed(), "{old:?} to {new:?}");
                assert_eq!(rig.left(&old), 10, "the old counter is gone: {old:?}");
                assert_eq!(rig.left(new), 0, "nothing is left to carry: {new:?}");
            }
        }
    }
    carries_only_what_nobody_counts_by(make);
}

/// A former period that the request still counts by stays with its own limit, and a period in use
/// does not ask for the former ones.
fn carries_only_what_nobody_counts_by<T: Store>(make: &impl Make<Store = T>) {
    let (minute, hour) = (limit("10/min"), limit("100/h"));
    let former = [minute.clone()];
    let rig = filled_rig(make, &minute, 7);
    let both = [charge(&minute, 1), charge(&hour, 1).replacing(&former)];
    let verdict = rig.charge(&both);
    assert_eq!(verdict.decisions()[0].remaining(), 2);
    assert_eq!(verdict.decisions()[1].remaining(), 99);
    let alone = [charge(&hour, 1).replacing(&former)];
    assert_eq!(rig.charge(&alone).binding().remaining(), 98);
    assert_eq!(rig.left(&minute), 2, "the hour had a count of its own");
    // What has run out is no count of its own.
    let (second, minute) = (limit("5/s fixed_window"), limit("9/min fixed_window"));
    let rig = filled_rig(make, &second, 5);
    rig.pass(2 * S);
    let former = [second.clone()];
    let there = [charge(&minute, 6).replacing(&former)];
    assert_eq!(rig.charge(&there).binding().remaining(), 3, "nothing to carry");
    let former = [minute];
    let back = [charge(&second, 0).replacing(&former)];
    assert_eq!(rig.charge(&back).binding().remaining(), 0, "six are carried");
}

/// Another rate: the tokens that are missing are still missing, and come back at the new rate.
// Proves: D14
pub fn a_changed_rate_keeps_the_tokens_missing<T: Store>(make: &impl Make<Store = T>) {
    let rig = Rig::new(make);
    rig.play("10/s burst 10", "take10 pass250ms take3", "0 | !50ms");
    // Two and a half tokens are there; half a token at 20/s takes 25 ms.
    rig.play("20/s burst 10", "take3 pass25ms take3 take1", "!25ms | 0 !50ms");
    rig.play("1/s burst 10", "take1 pass1s take1", "!1s | 0");
    let rig = Rig::new(make);
    rig.play("10/s leaky_bucket burst 4", "take1 take1 take1", "4 3+100ms 2+200ms");
    rig.play("1/s leaky_bucket burst 4", "take1 take1", "1+3s 0+4s");
}

/// There and back again, at any fill level: never zeroed, never doubled.
// Proves: D14
pub fn changes_back_and_forth_neither_zero_nor_double<T: Store>(make: &impl Make<Store = T>) {
    for small in &every_algorithm(10) {
        for large in &every_algorithm(20) {
            let rig = Rig::new(make);
            for used in 0..20 {
                assert_eq!(rig.left(small), 10_u64.saturating_sub(used));
                let denied = rig.take(small, 11);
                assert!(!denied.is_allowed(), "{small:?}");
                assert_eq!(rig.left(large), 20 - used, "{small:?} and {large:?}");
                assert!(rig.take(large, 1).is_allowed(), "{small:?} and {large:?}");
            }
            assert!(!rig.take(large, 1).is_allowed(), "{small:?} and {large:?}");
        }
    }
    // The same between two periods.
    let (minute, hour) = (limit("30/min burst 30"), limit("30/h"));
    let (from_minute, from_hour) = ([minute.clone()], [hour.clone()]);
    let rig = Rig::new(make);
    for used in 0..15 {
        let verdict = rig.charge(&[charge(&minute, 1).replacing(&from_hour)]);
        assert_eq!(verdict.binding().remaining(), 29 - 2 * used);
        let verdict = rig.charge(&[charge(&hour, 1).replacing(&from_minute)]);
        assert_eq!(verdict.binding().remaining(), 28 - 2 * used);
    }
}

/// A key that the new limit denies is carried over at that moment: asking again does not prolong the
/// wait, and the retry-after is exact.
// Proves: D14, D6
pub fn a_denial_adopts_the_new_limit<T: Store>(make: &impl Make<Store = T>) {
    let rig = Rig::new(make);
    rig.play("10/h fixed_window", "pass30min take10", "| 0");
    rig.play(
        "10/h sliding_log",
        "take1 pass20min take1 pass39min take1 pass59999999us take1 pass1us take1",
        "!3600s | !2400s | !60s | !1µs | 9",
    );
    // A peek adopts nothing.
    let rig = Rig::new(make);
    rig.play("10/h fixed_window", "take10", "0");
    rig.play("10/h sliding_log", "peek1 pass10min peek1", "!3600s | !3600s");
    rig.play("10/h fixed_window", "take1", "!3000s");
    // Nor does it carry a period over.
    let (old, new) = (limit("10/min fixed_window"), limit("10/day sliding_log"));
    let rig = filled_rig(make, &old, 10);
    let former = [old];
    let replacing = [charge(&new, 1).replacing(&former)];
    for _ in 0..3 {
        let peeked = rig.inspect(tollgate_core::Action::Peek, &replacing);
        assert!(!peeked.is_allowed());
    }
    rig.pass(MIN);
    assert!(rig.charge(&replacing).is_allowed(), "it has run out meanwhile");
}

fn filled_rig<T: Store>(make: &impl Make<Store = T>, limit: &Limit, filled: u64) -> Rig<T> {
    let rig = Rig::new(make);
    assert_eq!(rig.admitted(limit, filled), filled, "{limit:?}");
    rig
}
