//! A request is charged on all of its limits or on none.

use tollgate_core::{Charge, Cost, CounterKey, RuleId, Store};

use super::{
    Make, Rig,
    rig::{S, charge, charge_of, every_algorithm},
};
use crate::{Rng, limit};

/// What the narrow limit refuses does not burn the broad budget, in either order, on one rule and on
/// several.
// Proves: D4, D8
pub fn a_narrow_denial_leaves_the_broad_limit_untouched<T: Store>(make: &impl Make<Store = T>) {
    let (narrow, broad) = (limit("1/s"), limit("100/h"));
    let everybody = RuleId::new(2);
    for rule in [RuleId::new(1), everybody] {
        let rig = Rig::new(make);
        let broad_of = |cost| Charge::new(CounterKey::new(rule, b"user:42"), &broad, cost);
        let orders =
            [[charge(&narrow, 1), broad_of(Cost::ONE)], [broad_of(Cost::ONE), charge(&narrow, 1)]];
        assert!(rig.charge(&orders[0]).is_allowed());
        for _ in 0..50 {
            for order in &orders {
                let verdict = rig.charge(order);
                assert!(!verdict.is_allowed());
                assert_eq!(verdict.binding().limit(), 1, "the narrow limit denies");
                let passing = verdict.decisions().iter().find(|one| one.limit() == 100);
                assert_eq!(passing.expect("the broad one").remaining(), 99);
            }
        }
        let left = rig.charge(&[broad_of(Cost::ZERO)]);
        assert_eq!(left.binding().remaining(), 99);
    }
}

/// What the broad limit refuses does not burn the narrow budget.
// Proves: D4, D8
pub fn a_broad_denial_leaves_the_narrow_limit_untouched<T: Store>(make: &impl Make<Store = T>) {
    let (narrow, broad) = (limit("5/s burst 5"), limit("6/h fixed_window"));
    let rig = Rig::new(make);
    let both = [charge(&narrow, 3), charge(&broad, 3)];
    assert!(rig.charge(&both).is_allowed());
    rig.pass(S);
    assert!(rig.charge(&both).is_allowed());
    for _ in 0..50 {
        let verdict = rig.charge(&both);
        assert_eq!(verdict.binding_index(), Some(1));
    }
    assert_eq!(rig.left(&narrow), 2, "no more than the second request took");
    rig.pass(S);
    let verdict = rig.charge(&both);
    assert!(verdict.decisions()[0].is_allowed());
    assert_eq!(verdict.decisions()[0].remaining(), 5, "shown as not charged");
}

/// Five algorithms in one request: whichever of them denies, the four others are left alone.
// Proves: D4
pub fn any_failing_algorithm_spares_all_others<T: Store>(make: &impl Make<Store = T>) {
    let limits = every_algorithm(10);
    let keys: [[u8; 1]; 5] = [[0], [1], [2], [3], [4]];
    for failing in 0..limits.len() {
        let rig = Rig::new(make);
        let request: Vec<Charge<'_>> =
            (0..limits.len()).map(|place| charge_of(&keys[place], &limits[place], 1)).collect();
        assert!(rig.charge(&request).is_allowed());
        let exhausting = charge_of(&keys[failing], &limits[failing], 9);
        assert!(rig.charge(&[exhausting]).is_allowed());
        for _ in 0..20 {
            let verdict = rig.charge(&request);
            assert_eq!(verdict.binding_index(), Some(failing));
        }
        for (place, key) in keys.iter().enumerate() {
            let look = rig.charge(&[charge_of(key, &limits[place], 0)]);
            let left = if place == failing { 0 } else { 9 };
            assert_eq!(look.binding().remaining(), left, "{place} after {failing}");
        }
    }
}

/// The same charges in another order get the same decisions in that order.
// Proves: D4
pub fn the_order_of_charges_does_not_matter<T: Store>(make: &impl Make<Store = T>) {
    let limits = ["3/s burst 3", "20/min", "10/min fixed_window", "50/h"].map(limit);
    let keys: [&[u8]; 4] = [b"a", b"b", b"a", b"c"];
    let (rig, twin) = (Rig::new(make), Rig::new(make));
    let mut rng = Rng::new(17);
    for _ in 0..make.times(2_000) {
        let pause = rng.below(S);
        rig.pass(pause);
        twin.pass(pause);
        let cost = 1 + rng.below(2);
        let mut order = [0, 1, 2, 3];
        rng.shuffle(&mut order);
        let in_order = |places: &[usize]| -> Vec<Charge<'_>> {
            let each = places.iter();
            each.map(|&place| charge_of(keys[place], &limits[place], cost)).collect()
        };
        let straight = rig.charge(&in_order(&[0, 1, 2, 3]));
        let shuffled = twin.charge(&in_order(&order));
        for (place, original) in order.into_iter().enumerate() {
            let (left, right) = (straight.decisions(), shuffled.decisions());
            assert_eq!(left[original], right[place]);
        }
    }
}

/// Two charges of one request on one counter see each other: both costs count, or neither.
// Proves: D4, D6
pub fn charges_on_one_counter_count_together<T: Store>(make: &impl Make<Store = T>) {
    for limit in every_algorithm(10) {
        let rig = Rig::new(make);
        let pair = |first, second| [charge(&limit, first), charge(&limit, second)];
        let verdict = rig.charge(&pair(3, 4));
        let left: Vec<u64> = verdict.decisions().iter().map(|one| one.remaining()).collect();
        assert_eq!(left, [7, 3], "{limit:?}");
        let verdict = rig.charge(&pair(2, 2));
        assert!(!verdict.is_allowed(), "{limit:?}");
        assert_eq!(verdict.binding_index(), Some(1));
        assert_eq!(verdict.decisions()[0].remaining(), 3, "shown as not charged");
        let never = rig.charge(&pair(6, 5));
        assert_eq!(never.binding().retry_after(), None, "eleven never fit ten");
        let never = rig.charge(&pair(u64::MAX, u64::MAX));
        assert_eq!(never.binding().retry_after(), None, "nor does an overflow");
        let refusing = rig.charge(&pair(4, 0));
        assert!(refusing.decisions()[1].is_allowed(), "a cost of 0 peeks");
        assert_eq!(rig.left(&limit), 3, "{limit:?}");
        let verdict = rig.charge(&[charge(&limit, 1), charge(&limit, 0), charge(&limit, 2)]);
        let left: Vec<u64> = verdict.decisions().iter().map(|one| one.remaining()).collect();
        assert_eq!(left, [2, 2, 0], "{limit:?}");
    }
}

/// Nothing to charge is nothing to refuse.
// Proves: D4
pub fn no_charges_are_allowed<T: Store>(make: &impl Make<Store = T>) {
    let verdict = Rig::new(make).charge(&[]);
    assert!(verdict.is_allowed());
    assert_eq!(verdict.binding_index(), None);
}

/// A request that meets many limits of many rules is still one request.
// Proves: D4
pub fn forty_charges_are_one_request<T: Store>(make: &impl Make<Store = T>) {
    let limits = every_algorithm(10);
    let rig = Rig::new(make);
    let last = limit("1/min");
    let mut request: Vec<Charge<'_>> = (0..39)
        .map(|place: usize| {
            let rule = RuleId::new(u128::try_from(place).expect("small") << 100);
            let key = CounterKey::new(rule, b"everybody");
            Charge::new(key, &limits[place % 5], Cost::ONE)
        })
        .collect();
    request.push(charge(&last, 1));
    assert!(rig.charge(&request).is_allowed());
    let verdict = rig.charge(&request);
    assert_eq!(verdict.binding_index(), Some(39));
    for charge in &request[..39] {
        let look = rig.charge(&[charge.with_cost(Cost::ZERO)]);
        assert_eq!(look.binding().remaining(), 9);
    }
}
