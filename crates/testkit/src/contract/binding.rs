//! Which numbers a caller sees.

use tollgate_core::{Band, Store};

use super::{
    Make, Rig,
    rig::{S, charge, every_algorithm},
};
use crate::limit;

/// Of several denials that with the longest wait is shown, and waiting in vain is the longest of all;
/// ties go to the first.
// Proves: D6 (section 12.5)
pub fn denied_requests_show_the_longest_wait<T: Store>(make: &impl Make<Store = T>) {
    let (second, minute, hour) =
        (limit("1/s fixed_window"), limit("1/min fixed_window"), limit("9/h fixed_window"));
    let rig = Rig::new(make);
    let request = [charge(&second, 1), charge(&minute, 1), charge(&hour, 1)];
    assert!(rig.charge(&request).is_allowed());
    let verdict = rig.charge(&request);
    assert_eq!(verdict.binding_index(), Some(1));
    assert_eq!(verdict.binding().remaining(), 0);
    assert_eq!(verdict.decisions()[2].remaining(), 8, "it passed");
    let never = [charge(&second, 2), charge(&minute, 1), charge(&hour, 1)];
    assert_eq!(rig.charge(&never).binding_index(), Some(0));

    let (first, same) = (limit("1/2s fixed_window"), limit("1/1000ms fixed_window"));
    rig.pass(S);
    let tie = [charge(&first, 1), charge(&same, 1)];
    assert!(rig.charge(&tie).is_allowed());
    let verdict = rig.charge(&tie);
    let (left, right) = (verdict.decisions()[0], verdict.decisions()[1]);
    assert_eq!(left.retry_after(), right.retry_after());
    assert_eq!(verdict.binding_index(), Some(0), "ties by walk order");
}

/// Of several admissions that with the smallest share left is shown; ties go to the first.
// Proves: D6 (section 12.5)
pub fn allowed_requests_show_the_smallest_share<T: Store>(make: &impl Make<Store = T>) {
    let rig = Rig::new(make);
    let (ten, hundred) = (limit("10/s"), limit("100/min"));
    let huge = limit("18446744073709551615/day");
    let request = [charge(&huge, 1), charge(&hundred, 5), charge(&ten, 1)];
    assert_eq!(rig.charge(&request).binding_index(), Some(2), "9 of 10");
    rig.pass(S);
    let verdict = rig.charge(&[charge(&hundred, 25), charge(&ten, 1)]);
    assert_eq!(verdict.binding_index(), Some(0), "70 of 100 before 8 of 10");
    let fresh = Rig::new(make);
    let verdict = fresh.charge(&[charge(&hundred, 10), charge(&ten, 1)]);
    assert_eq!(verdict.binding_index(), Some(0), "90 of 100 is 9 of 10");
}

/// A request is marked from `warn_at` on, and marked again above the limit.
// Proves: D10
pub fn bands_mark_how_near_the_limit_is<T: Store>(make: &impl Make<Store = T>) {
    for plain in every_algorithm(10) {
        let text = format!("{} warn 50 hard 120", crate::describe(&plain));
        let limit = limit(&text);
        let rig = Rig::new(make);
        for used in 1..=14 {
            let decision = rig.take(&limit, 1);
            let band = match used {
                ..=4 => Band::Normal,
                5..=10 => Band::Warn,
                11..=12 => Band::Soft,
                _ => Band::Denied,
            };
            assert_eq!(decision.band(), band, "{text}: {used}");
            assert_eq!(decision.limit(), 10, "the promise, not hard_at");
            assert_eq!(decision.remaining(), 10_u64.saturating_sub(used), "{text}");
        }
        assert_eq!(rig.take(&limit, 0).band(), Band::Soft, "{text}");
    }
    let rig = Rig::new(make);
    let usual = limit("10/min");
    let bands: Vec<Band> = (0..11).map(|_| rig.take(&usual, 1).band()).collect();
    assert_eq!(bands[6], Band::Normal);
    assert_eq!(bands[7], Band::Warn, "80 % unless told otherwise");
    assert_eq!(bands[10], Band::Denied);
}

/// Denials begin above `hard_at`, to the unit, and a cost up to there can still fit.
// Proves: D10, D5
pub fn soft_limits_reach_exactly_hard_at<T: Store>(make: &impl Make<Store = T>) {
    for (amount, hard_at, hard) in [(10, 120, 12), (3, 150, 4), (1, 1_000, 10), (7, 100, 7)] {
        for plain in every_algorithm(amount) {
            let limit = limit(&format!("{} hard {hard_at}", crate::describe(&plain)));
            assert_eq!(Rig::new(make).admitted(&limit, 50), hard, "{limit:?}");
            let rig = Rig::new(make);
            assert_eq!(rig.take(&limit, hard + 1).retry_after(), None);
            assert!(rig.take(&limit, hard).is_allowed());
        }
    }
}
