//! Peek, refund and reset.

use tollgate_core::{Action, Store};

use super::{
    Make, Rig,
    rig::{H, MS, S, charge, every_algorithm},
};
use crate::{Rng, limit};

/// A peek answers what a charge would, denials included, and leaves no trace.
// Proves: D11
pub fn peeks_say_what_charging_would_answer<T: Store>(make: &impl Make<Store = T>) {
    let limits = [
        "10/s burst 4",
        "9/2s leaky_bucket burst 3",
        "20/min fixed_window",
        "30/2min",
        "90/h sliding_log",
    ]
    .map(limit);
    let (rig, twin) = (Rig::new(make), Rig::new(make));
    let mut rng = Rng::new(23);
    for _ in 0..make.times(2_000) {
        let pause = rng.pick(&[1, MS, S, 10 * S]);
        let pause = rng.below(pause);
        rig.pass(pause);
        twin.pass(pause);
        let charges = [0, 1].map(|_| charge(&limits[rng.index(5)], rng.below(6)));
        let peeked = rig.inspect(Action::Peek, &charges);
        assert_eq!(peeked, rig.inspect(Action::Peek, &charges), "no trace");
        let charged = rig.charge(&charges);
        assert_eq!(peeked, charged, "{charges:?}");
        assert_eq!(charged, twin.charge(&charges), "{charges:?}");
    }
}

/// A refund gives back what was taken, never more than that, and so never lifts above the limit.
// Proves: D11
pub fn refunds_give_back_at_most_what_was_taken<T: Store>(make: &impl Make<Store = T>) {
    for limit in every_algorithm(10) {
        let rig = Rig::new(make);
        assert_eq!(rig.refund(&limit, 5).remaining(), 10, "nothing was taken");
        assert!(rig.take(&limit, 10).is_allowed());
        assert!(!rig.take(&limit, 1).is_allowed());
        assert_eq!(rig.refund(&limit, 0).remaining(), 0, "{limit:?}");
        assert_eq!(rig.refund(&limit, 3).remaining(), 3, "{limit:?}");
        assert_eq!(rig.admitted(&limit, 100), 3, "{limit:?}");
        assert_eq!(rig.refund(&limit, 11).remaining(), 10, "{limit:?}");
        assert_eq!(rig.admitted(&limit, 100), 10, "{limit:?}");
        assert_eq!(rig.refund(&limit, u64::MAX).remaining(), 10, "{limit:?}");
        assert_eq!(rig.refund(&limit, u64::MAX).remaining(), 10, "{limit:?}");
        assert_eq!(rig.admitted(&limit, 100), 10, "{limit:?}");
        let both = [charge(&limit, 2), charge(&limit, 3)];
        let given_back = rig.inspect(Action::Refund, &both);
        for decision in given_back.decisions() {
            assert_eq!(decision.remaining(), 5, "what is left in the end");
        }
        assert_eq!(rig.left(&limit), 5, "{limit:?}");
    }
    // A refund of a bucket gives back what the bucket has not gained by itself.
    Rig::new(make).play("10/s burst 5", "take5 pass200ms give4 take5 take1", "0 | 5 0 !100ms");
    Rig::new(make).play(
        "3/10s sliding_log",
        "take1 pass4s take2 give2 pass6s take3",
        "2 | 0 2 | 0",
    );
}

/// What was taken in a window that is over has come back by itself and is not credited again.
// Proves: D11
pub fn refunds_of_an_ended_window_credit_nothing<T: Store>(make: &impl Make<Store = T>) {
    for limit in every_algorithm(10) {
        let rig = Rig::new(make);
        assert!(rig.take(&limit, 10).is_allowed());
        rig.pass(2 * H);
        assert_eq!(rig.refund(&limit, 10).remaining(), 10, "{limit:?}");
        assert_eq!(rig.admitted(&limit, 100), 10, "{limit:?}");
    }
    Rig::new(make).play(
        "10/min fixed_window",
        "take10 pass1min take2 give5 take10 take1",
        "0 | 8 10 0 !60s",
    );
    // The window before still fades as if nothing had been given back.
    Rig::new(make).play(
        "10/min",
        "take10 pass1min give10 pass30s take5 take1 give9 take5",
        "0 | 1 | 0 !1µs 5 0",
    );
}

/// A reset makes a counter fresh, however full it was, and no other.
// Proves: D11
pub fn resets_make_fresh<T: Store>(make: &impl Make<Store = T>) {
    for limit in every_algorithm(10) {
        let rig = Rig::new(make);
        let other = super::rig::charge_of(b"somebody else", &limit, 10);
        assert_eq!(rig.reset(&limit).remaining(), 10, "unknown is fresh");
        assert!(rig.charge(&[other]).is_allowed());
        for filled in [1, 5, 10] {
            assert!(rig.take(&limit, filled).is_allowed(), "{limit:?}");
            let fresh = rig.reset(&limit);
            assert_eq!(fresh.remaining(), 10, "{limit:?}");
            assert_eq!(rig.reset(&limit), fresh, "twice is once");
            rig.pass(S);
        }
        assert_eq!(rig.admitted(&limit, 100), 10, "{limit:?}");
        assert!(!rig.charge(&[other.with_cost(tollgate_core::Cost::ONE)]).is_allowed());
    }
    let rig = Rig::new(make);
    let (minute, hour) = (limit("5/min"), limit("9/h"));
    let both = [charge(&minute, 5), charge(&hour, 9)];
    assert!(rig.charge(&both).is_allowed());
    let verdict = rig.inspect(Action::Reset, &both);
    let left: Vec<u64> = verdict.decisions().iter().map(|one| one.remaining()).collect();
    assert_eq!(left, [5, 9]);
    assert!(rig.charge(&both).is_allowed());
    // A limit of another period that this one replaced is forgotten with it.
    let (old, new) = (limit("5/min"), limit("7/day"));
    let rig = Rig::new(make);
    assert!(rig.take(&old, 5).is_allowed());
    let former = [old];
    let replacing = [charge(&new, 7).replacing(&former)];
    rig.inspect(Action::Reset, &replacing);
    assert!(rig.charge(&replacing).is_allowed());
}
