//! What a denial costs: nothing.

use tollgate_core::{Charge, Store};

use super::{
    Make, Rig,
    rig::{DAY, H, MS, S, charge, charge_of, every_algorithm},
};
use crate::{Rng, limit};

/// A store that saw denied requests answers everything like a twin that never saw them.
// Proves: D4, D5
pub fn denied_requests_change_nothing<T: Store>(make: &impl Make<Store = T>) {
    let limits = [
        "10/s burst 3",
        "5/30s leaky_bucket burst 2",
        "20/min fixed_window",
        "30/h",
        "40/2h sliding_log hard 120",
        "50/day",
    ]
    .map(limit);
    let (rig, twin) = (Rig::new(make), Rig::new(make));
    let mut rng = Rng::new(5);
    let (mut denied, mut allowed) = (0, 0);
    for _ in 0..make.times(5_000) {
        let pause = rng.pick(&[1, MS, S, S, 20 * S, H]);
        let pause = rng.below(pause);
        rig.pass(pause);
        twin.pass(pause);
        let key = [b'a' + u8::try_from(rng.below(2)).expect("small")];
        let charges: Vec<Charge<'_>> = (0..=rng.below(3))
            .map(|_| charge_of(&key, &limits[rng.index(6)], rng.below(5)))
            .collect();
        let verdict = rig.charge(&charges);
        if verdict.is_allowed() {
            allowed += 1;
            assert_eq!(verdict, twin.charge(&charges), "{charges:?}");
        } else {
            denied += 1;
        }
    }
    assert!(denied > make.times(1_000), "only {denied} denials");
    assert!(allowed > make.times(1_000), "only {allowed} admissions");
    for limit in &limits {
        for cost in 0..60 {
            assert_eq!(rig.peek(limit, cost), twin.peek(limit, cost));
        }
    }
}

/// A cost that can never fit is denied without a retry-after, however often, and all is left.
// Proves: D5, D6
pub fn a_cost_above_the_limit_never_fits_and_drains_nothing<T: Store>(make: &impl Make<Store = T>) {
    for limit in every_algorithm(10) {
        let rig = Rig::new(make);
        for cost in [11, 12, 1 << 32, u64::MAX - 1, u64::MAX] {
            let decision = rig.take(&limit, cost);
            assert!(!decision.is_allowed(), "{limit:?} {cost}");
            assert_eq!(decision.retry_after(), None, "{limit:?} {cost}");
            assert_eq!(decision.remaining(), 0);
        }
        assert_eq!(rig.left(&limit), 10, "{limit:?}");
        assert!(rig.take(&limit, 4).is_allowed());
        assert_eq!(rig.take(&limit, 11).retry_after(), None);
        assert_eq!(rig.admitted(&limit, 100), 6, "{limit:?}");
        assert_eq!(rig.take(&limit, 11).retry_after(), None);
        // Denials of any number lock nobody out: the budget is back when it was due.
        rig.pass(2 * DAY);
        assert!(rig.take(&limit, 10).is_allowed(), "{limit:?}");
    }
}

/// A cost of zero is always allowed, says what is left, and changes no later answer.
// Proves: D5
pub fn a_cost_of_zero_looks_and_spends_nothing<T: Store>(make: &impl Make<Store = T>) {
    for limit in every_algorithm(10) {
        let (rig, twin) = (Rig::new(make), Rig::new(make));
        for used in 0..=10 {
            for _ in 0..20 {
                let look = rig.take(&limit, 0);
                assert!(look.is_allowed(), "{limit:?} with {used} used");
                assert_eq!(look.remaining(), 10 - used, "{limit:?}");
                assert!(look.delay().is_zero(), "nothing was admitted to wait");
            }
            rig.pass(MS);
            twin.pass(MS);
            let both = [charge(&limit, 1)];
            assert_eq!(rig.charge(&both), twin.charge(&both), "{limit:?}");
        }
    }
}
