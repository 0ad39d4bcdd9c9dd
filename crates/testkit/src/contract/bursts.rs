//! What passes at once, and what passes afterwards.

use tollgate_core::Store;

use super::{
    Make, Rig,
    rig::{DAY, every_algorithm, every_algorithm_per},
};
use crate::limit;

/// Each algorithm lets its budget pass and then keeps its pace, told by example.
// Proves: D1
pub fn a_burst_passes_and_then_the_rate_holds<S: Store>(make: &impl Make<Store = S>) {
    Rig::new(make).play(
        "10/s burst 2",
        "take1 take1 take1 pass100ms take1 take1 pass99999us take1 pass1us take1 pass1h take2",
        "1 0 !100ms | 0 !100ms | !1µs | 0 | 0",
    );
    Rig::new(make).play(
        "3/min fixed_window",
        "take1 take1 take1 take1 pass59s take1 pass1s take1 take2 take1",
        "2 1 0 !60s | !1s | 2 0 !60s",
    );
    Rig::new(make).play(
        "10/min",
        "take10 take1 pass1min peek0 take1 take1 pass6s take1 pass1us take1 take1",
        "0 !60s | 1 0 !6.000001s | !1µs | 0 !6s",
    );
    Rig::new(make).play(
        "3/10s sliding_log",
        "take1 pass4s take2 take1 pass6s take1 take1 pass4s take2",
        "2 | 0 !6s | 0 !4s | 0",
    );
    Rig::new(make).play(
        "10/s leaky_bucket burst 2",
        "take1 take1 take1 take1 pass100ms take1 pass1s take3 take1",
        "2 1+100ms 0+200ms !100ms | 0+200ms | 0 !100ms",
    );
    Rig::new(make).play("10/s leaky_bucket", "take1 take1 pass100ms take1", "0 !100ms | 0");
}

/// A key that was idle for long has one budget, not the budgets it did not use.
// Proves: D1
pub fn idle_time_earns_no_second_burst<S: Store>(make: &impl Make<Store = S>) {
    for limit in every_algorithm(10) {
        let rig = Rig::new(make);
        for idle_days in [0, 1, 40, 400] {
            rig.pass(idle_days * DAY);
            assert_eq!(rig.admitted(&limit, 100), 10, "{limit:?} after {idle_days}");
        }
    }
    // A capacity of one is a limit too.
    for limit in every_algorithm_per(1, "h") {
        let rig = Rig::new(make);
        assert_eq!(rig.admitted(&limit, 1_000), 1, "{limit:?}");
    }
}

/// What a leaky bucket admits leaves one interval apart, whenever it came.
// Proves: D1
pub fn leaky_buckets_space_what_they_admit<S: Store>(make: &impl Make<Store = S>) {
    let limit = limit("7/s leaky_bucket burst 5");
    let interval = 1_000_000 / 7;
    let rig = Rig::new(make);
    let mut rng = crate::Rng::new(3);
    let mut last_departure = None;
    for _ in 0..make.times(2_000) {
        rig.pass(rng.below(2 * interval));
        let decision = rig.take(&limit, 1);
        if !decision.is_allowed() {
            continue;
        }
        let delay = u64::try_from(decision.delay().as_micros()).expect("a short delay");
        assert!(delay <= 5 * (interval + 1), "only the queue waits");
        let departure = rig.now().steady.as_micros() + delay;
        if let Some(last) = last_departure.replace(departure) {
            // Each departure is rounded up to the tick, so two may be a tick nearer.
            assert!(departure >= last + interval, "{departure} after {last}");
        }
    }
}

/// Windows of weeks begin on Mondays and of months on the first, buckets take 30 days a month.
// Proves: D1 (section 12.14)
pub fn months_and_weeks_follow_the_calendar<S: Store>(make: &impl Make<Store = S>) {
    // 2026-01-01 is a Thursday; its February has 28 days; 730 days after its March is a leap day.
    Rig::new(make).play(
        "1/week fixed_window",
        "take1 take1 pass4d take1 take1",
        "0 !345600s | 0 !604800s",
    );
    Rig::new(make).play(
        "5/month fixed_window",
        "take5 take1 pass31d take5 take1 pass28d take5 pass730d take1 peek5",
        "0 !2678400s | 0 !2419200s | 0 | 4 !86400s",
    );
    Rig::new(make).play(
        "1/month fixed_window",
        "pass761d take1 take1 pass29d take1",
        "| 0 !2505600s | 0",
    );
    Rig::new(make).play("1/month burst 1", "take1 take1", "0 !2592000s");
    Rig::new(make).play("1/month sliding_log", "take1 take1", "0 !2592000s");
    // January counts but for one tick when February begins, and fades over February's 28 days.
    Rig::new(make).play(
        "28/month",
        "take28 pass31d peek1 peek2 pass14d take14 take1 pass1us take1 take1",
        "0 | 0 !86400.000001s | 0 !1µs | 0 !86400s",
    );
}
