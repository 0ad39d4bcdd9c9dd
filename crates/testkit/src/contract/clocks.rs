//! Clocks that are set.

use tollgate_core::{Limit, Micros, Now, Store};

use super::{
    Make, Rig,
    rig::{DAY, H, MIN, MS, S, charge, every_algorithm_per},
};
use crate::{Rng, limit};

const STEPS: [u64; 8] = [1, MS, S, MIN, H, H + 1, DAY, 2 * DAY];

/// Buckets and logs count elapsed time: whatever happens to the time of day, they answer alike.
// Proves: D7
pub fn elapsed_time_ignores_the_wall_clock<T: Store>(make: &impl Make<Store = T>) {
    for text in ["10/s burst 5", "90/min leaky_bucket burst 9", "40/min sliding_log"] {
        let limit = limit(text);
        let (rig, twin) = (Rig::new(make), Rig::new(make));
        let mut rng = Rng::new(29);
        for _ in 0..make.times(1_000) {
            let pause = rng.below(2 * S);
            rig.pass(pause);
            twin.pass(pause);
            let by = i64::try_from(rng.pick(&STEPS)).expect("two days");
            rig.clock.step_wall(if rng.one_in(2) { by } else { -by });
            let request = [charge(&limit, rng.below(4))];
            let (stepped, steady) = (rig.charge(&request), twin.charge(&request));
            assert_eq!(stepped.decisions(), steady.decisions(), "{text}");
        }
    }
}

/// Setting the time of day back hands out nothing, and locks nobody out for long.
// Proves: D7
pub fn wall_steps_back_hand_out_no_second_budget<T: Store>(make: &impl Make<Store = T>) {
    for (limit, step) in windows_and_steps() {
        let period = limit.period().length().get();
        for into_window in [0, period / 2, period - 1] {
            let rig = Rig::new(make);
            rig.pass(into_window);
            assert_eq!(rig.admitted(&limit, 50), 10);
            rig.clock.step_wall(-step);
            assert_eq!(rig.admitted(&limit, 50), 0, "{limit:?} {step}");
            // Up to a window ahead counts where it is; what is further ahead moves into this window.
            let wait = retry_after(&rig, &limit);
            let windows = if step.unsigned_abs() >= 2 * period { 2 } else { 3 };
            assert!(wait < windows * period, "{limit:?} {step}: {wait}");
            rig.pass(wait - 1);
            assert_eq!(rig.admitted(&limit, 50), 0, "{limit:?} {step}");
            rig.pass(1);
            let passed = rig.admitted(&limit, 50);
            assert!((1..=10).contains(&passed), "{limit:?} {step}: {passed}");
        }
    }
}

/// Setting the time of day forward is at most the budget of the window it leads to.
// Proves: D7
pub fn wall_steps_forward_hand_out_one_budget_at_most<T: Store>(make: &impl Make<Store = T>) {
    for (limit, step) in windows_and_steps() {
        let rig = Rig::new(make);
        let period = limit.period().length().get();
        rig.pass(period / 2);
        assert_eq!(rig.admitted(&limit, 50), 10);
        rig.clock.step_wall(step);
        let passed = rig.admitted(&limit, 50);
        assert!(passed <= 10, "{limit:?} {step}: {passed}");
        assert_eq!(rig.admitted(&limit, 50), 0, "{limit:?} {step}");
        let wait = retry_after(&rig, &limit);
        assert!(wait < 2 * period, "{limit:?} {step}: {wait}");
        // And back again: what passed on the way counts.
        rig.clock.step_wall(-step);
        assert_eq!(rig.admitted(&limit, 50), 0, "{limit:?} {step}");
    }
}

/// A stopwatch that runs backwards, by a thread's skew or a restart's, hands out nothing; what is
/// owed beyond a window is capped at one burst.
// Proves: D7
pub fn a_steady_clock_set_back_never_locks_out<T: Store>(make: &impl Make<Store = T>) {
    let [bucket, leaky, _, _, log] = every_algorithm_per(10, "min");
    for limit in [bucket, leaky, log] {
        for step in STEPS {
            let rig = Rig::new(make);
            assert_eq!(rig.admitted(&limit, 50), 10);
            let Now { wall, steady } = rig.now();
            let steady = steady.saturating_sub(Micros::new(step));
            rig.clock.set(Now { wall, steady });
            assert_eq!(rig.admitted(&limit, 50), 0, "{limit:?} {step}");
            let wait = retry_after(&rig, &limit);
            assert!(wait <= 2 * MIN, "{limit:?} {step}: {wait}");
            if step > 2 * MIN {
                assert!(wait <= MIN, "re-based: {limit:?} {step}: {wait}");
            }
            rig.pass(wait - 1);
            assert_eq!(rig.admitted(&limit, 50), 0, "{limit:?} {step}");
            rig.pass(1);
            let passed = rig.admitted(&limit, 50);
            assert!((1..=10).contains(&passed), "{limit:?} {step}: {passed}");
        }
    }
}

fn windows_and_steps() -> impl Iterator<Item = (Limit, i64)> {
    let limits = ["fixed_window", "sliding_window"].into_iter().flat_map(|algorithm| {
        ["min", "h", "day"].map(|period| limit(&format!("10/{period} {algorithm}")))
    });
    limits
        .flat_map(|limit| STEPS.map(|step| (limit.clone(), i64::try_from(step).expect("two days"))))
}

fn retry_after<T: Store>(rig: &Rig<T>, limit: &Limit) -> u64 {
    let denied = rig.take(limit, 1);
    assert!(!denied.is_allowed());
    Micros::from(denied.retry_after().expect("one fits ten")).get()
}
