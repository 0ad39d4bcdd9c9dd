//! What is kept in mind of windows, buckets and logs.

use tollgate_core::{Charge, Cost, CounterKey, RuleId};

use super::*;
use crate::{exact::Item, extent::is_perhaps_lost, key::Names};

fn note(touched: &Touched, item: &Item, total: u64, now: Now) {
    touched.note(&item.key, &item.limit, total, now);
}

fn item(limit: &str, user: &str) -> Item {
    let names = Names { prefix: "rl".to_owned(), naming: |values, part| part("user", values) };
    let limit = tollgate_testkit::limit(limit);
    let key = CounterKey::new(RuleId::new(7), user.as_bytes());
    Item::new(&Charge::new(key, &limit, Cost::ONE), &names)
}

fn secs(secs: u64) -> Now {
    Now::at(Timestamp::from_secs(secs))
}

/// Known, present and before.
fn told(touched: &Touched, now: Now) -> Vec<(u64, u64, u64)> {
    touched.latest.store(now.wall.as_micros(), Relaxed);
    touched.sweep();
    let claims = touched.claims();
    let numbers = claims.iter().map(|claim| claim.asserted);
    numbers.map(|told| (told.known, told.present, told.before)).collect()
}

// Proves: C7
#[test]
fn what_was_debited_is_told_by_windows() {
    let touched = Touched::default();
    let sliding = item("100/min sliding_window", "ann");
    note(&touched, &sliding, 10, secs(60));
    note(&touched, &sliding, 15, secs(70));
    assert_eq!(told(&touched, secs(80)), [(15, 15, 0)]);
    note(&touched, &sliding, 22, secs(125));
    assert_eq!(told(&touched, secs(130)), [(22, 7, 15)]);
    note(&touched, &sliding, 30, secs(185));
    assert_eq!(told(&touched, secs(190)), [(30, 8, 7)]);
    note(&touched, &sliding, 31, secs(600));
    let all = [(31, 31, 0)];
    assert_eq!(told(&touched, secs(600)), all, "it may have begun anew");
    assert_eq!(told(&touched, secs(779)).len(), 0, "nothing of it counts");
    assert_eq!(touched.totals(), (0, 0));
}

#[test]
fn a_fixed_window_tells_of_the_present_one_and_a_bucket_of_what_it_may_owe() {
    let touched = Touched::default();
    note(&touched, &item("100/min fixed_window", "ann"), 10, secs(100));
    assert_eq!(told(&touched, secs(119)), [(10, 10, 0)]);
    assert_eq!(told(&touched, secs(120)), []);
    let bucket = item("60/min burst 60", "bob");
    note(&touched, &bucket, 5_000_000, secs(1_000));
    note(&touched, &bucket, 8_000_000, secs(1_060));
    assert_eq!(told(&touched, secs(1_061)), [(8_000_000, 8_000_000, 0)]);
    assert_eq!(told(&touched, secs(1_300)), []);
}

#[test]
fn of_replies_that_overtook_each_other_the_later_is_believed() {
    let touched = Touched::default();
    let item = item("100/min fixed_window", "ann");
    note(&touched, &item, 20, secs(10));
    note(&touched, &item, 15, secs(9));
    assert_eq!(told(&touched, secs(11)), [(20, 20, 0)]);
    note(&touched, &item, 18, secs(11));
    assert_eq!(told(&touched, secs(12)), [(18, 18, 0)], "some was given back");
    // A server whose clock is behind took over.
    note(&touched, &item, 25, secs(8));
    assert_eq!(told(&touched, secs(12)), [(25, 25, 0)]);
}

#[test]
fn a_total_that_began_anew_is_believed() {
    let touched = Touched::default();
    let item = item("100/min fixed_window", "ann");
    note(&touched, &item, 90, secs(0));
    note(&touched, &item, 95, secs(60));
    note(&touched, &item, 3, secs(61));
    assert_eq!(told(&touched, secs(62)), [(3, 3, 0)]);
}

#[test]
fn no_more_than_so_many_are_kept_in_mind() {
    let touched = Touched::default();
    const NOTED: usize = KEYS_MAX + 10_000;
    for number in 0..NOTED {
        let item = item("100/min fixed_window", &number.to_string());
        note(&touched, &item, 1, secs(60));
    }
    let (kept, forgotten) = touched.totals();
    assert!(forgotten > 0 && kept >= u64::try_from(KEYS_MAX).unwrap());
    assert_eq!(kept + forgotten, u64::try_from(NOTED).unwrap());
    note(&touched, &item("100/min fixed_window", "late"), 1, secs(120));
    assert!(touched.totals().0 < kept, "there is room in the next window");
}

/// The manual prints it.
#[test]
fn a_counter_takes_no_more_memory_than_the_manual_says() {
    let key = item("100/min fixed_window", "a-user-of-some-length").key;
    // A hash table is filled to 7/8, and twice as large after it has grown.
    let place = (size_of::<Key>() + size_of::<Entry>() + 1) * 16 / 7;
    let heap = key.as_bytes().len() + 16;
    assert!(place + heap <= 600, "{place} + {heap}");
}

// Proves: C7
#[test]
fn what_may_be_lost_is_lost_until_it_would_not_count() {
    let is_lost = |limit: &str, since: u64, now: u64| {
        is_perhaps_lost(&tollgate_testkit::limit(limit), since * 1_000_000, secs(now))
    };
    assert!(!is_lost("9/min fixed_window", 0, 70));
    assert!(is_lost("9/min fixed_window", 70, 119));
    assert!(!is_lost("9/min fixed_window", 70, 120));
    assert!(is_lost("9/min sliding_window", 70, 179));
    assert!(!is_lost("9/min sliding_window", 70, 180));
    assert!(is_lost("60/min burst 30", 70, 100));
    assert!(!is_lost("60/min burst 30", 70, 101));
    assert!(is_lost("9/min sliding_log", 70, 129));
    assert!(!is_lost("9/min sliding_log", 70, 130));
}
