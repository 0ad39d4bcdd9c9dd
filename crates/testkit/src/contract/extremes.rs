//! The ends of every range.

use tollgate_core::{Store, Timestamp};

use super::{
    Make, Rig,
    rig::{DAY, every_algorithm, every_algorithm_per},
};
use crate::limit;

/// Amounts, bursts and costs over all of 64 bits: exact, without a wrap and without a panic.
// Proves: D2
pub fn amounts_reach_the_whole_range<T: Store>(make: &impl Make<Store = T>) {
    const MAX: u64 = u64::MAX;
    let queue = MAX - 1;
    let limits = [
        format!("{MAX}/day burst {MAX}"),
        format!("{MAX}/ms burst {MAX}"),
        format!("1/month burst {MAX}"),
        format!("3/104249day burst {MAX}"),
        format!("{MAX}/week leaky_bucket burst {queue}"),
        format!("7/s leaky_bucket burst {queue}"),
        format!("{MAX}/h fixed_window"),
        format!("{MAX}/104249day fixed_window"),
        format!("{MAX}/month sliding_window"),
        format!("{MAX}/ms sliding_window"),
    ];
    for text in limits {
        let limit = limit(&text);
        let rig = Rig::new(make);
        let first = rig.take(&limit, MAX - 1);
        assert_eq!(first.remaining(), 1, "{text}");
        assert!(!rig.take(&limit, 2).is_allowed(), "{text}");
        assert_eq!(rig.take(&limit, 1).remaining(), 0, "{text}");
        assert!(!rig.take(&limit, 1).is_allowed(), "{text}");
        assert!(!rig.take(&limit, MAX).is_allowed(), "{text}");
        assert_eq!(rig.refund(&limit, MAX).remaining(), MAX, "{text}");
        assert!(rig.take(&limit, 1 << 63).is_allowed(), "{text}");
        assert!(!rig.take(&limit, 1 << 63).is_allowed(), "{text}");
        assert_eq!(rig.take(&limit, (1 << 63) - 1).remaining(), 0, "{text}");
        assert_eq!(rig.reset(&limit).remaining(), MAX, "{text}");
        assert_eq!(rig.take(&limit, MAX).remaining(), 0, "{text}");
    }
    // A token every 30 days, whatever the burst.
    Rig::new(make).play(
        "1/month burst 18446744073709551615",
        "take18446744073709551615 take1 pass30d take1 take1",
        "0 !2592000s | 0 !2592000s",
    );
    Rig::new(make).play(
        "18446744073709551615/s burst 1",
        "take1 take1 pass1us take1",
        "0 !1µs | 0",
    );
}

/// The shortest and the longest period, by every algorithm.
// Proves: D2
pub fn periods_reach_from_a_millisecond_to_centuries<T: Store>(make: &impl Make<Store = T>) {
    for period in ["ms", "13ms", "104249day", "14892week", "3474month"] {
        for limit in every_algorithm_per(2, period) {
            let rig = Rig::new(make);
            let length = limit.period().length().get();
            rig.pass(length / 3);
            assert_eq!(rig.admitted(&limit, 9), 2, "{limit:?}");
            let wait = rig.take(&limit, 1).retry_after().expect("one fits two");
            let wait = u64::try_from(wait.as_micros()).expect("within the range");
            assert!(wait < 2 * length, "{limit:?}: {wait}");
            rig.pass(wait - 1);
            assert_eq!(rig.admitted(&limit, 9), 0, "{limit:?}");
            rig.pass(1);
            assert!(rig.admitted(&limit, 9) > 0, "{limit:?}");
        }
    }
}

/// Clocks that stand at the epoch, are set back beyond it, or are centuries ahead.
// Proves: D7
pub fn time_may_start_at_its_first_moment<T: Store>(make: &impl Make<Store = T>) {
    let year_2500 = Timestamp::from_secs(16_725_225_600);
    for start in [Timestamp::EPOCH, Timestamp::from_micros(1), year_2500] {
        for limit in every_algorithm(10) {
            let rig = Rig::at(start, make);
            assert_eq!(rig.admitted(&limit, 50), 10, "{limit:?}");
            rig.clock.step_wall(-2_000_000 * 86_400);
            assert_eq!(rig.admitted(&limit, 50), 0, "{limit:?}");
            rig.pass(DAY);
            assert_eq!(rig.admitted(&limit, 50), 10, "{limit:?}");
        }
    }
}
