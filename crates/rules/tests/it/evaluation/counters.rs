//! 12.10 and D14: which counter a changed rule goes on with.

use tollgate_rules::{Name, Rule};

use super::words::{House, Said as _, request, rules, throttle};

fn login(key: &str, limits: &str) -> Rule {
    throttle("login", key, limits)
}

/// What passes of nine after `used` passed under the old rule and the rules were replaced.
fn passes_after(used: usize, old: Rule, new: Rule) -> usize {
    let mut house = House::of([old]);
    let alice = request("user=alice, org=acme, ip=10.0.0.1, endpoint=/login");
    assert_eq!(house.passes(&alice, used), used);
    house.replace(&rules([new]));
    house.passes(&alice, 9)
}

#[test]
fn a_changed_amount_keeps_what_was_admitted() {
    let (old, new) = (login("user", "3/h"), login("user", "5/h"));
    assert_eq!(passes_after(2, old.clone(), new.clone()), 3);
    assert_eq!(passes_after(2, new, old), 1);
}

#[test]
fn a_changed_period_or_algorithm_carries_over_as_if_admitted_now() {
    let old = || login("user", "3/h fixed_window");
    assert_eq!(passes_after(2, old(), login("user", "4/min fixed_window")), 2);
    assert_eq!(passes_after(2, old(), login("user", "4/day sliding_log")), 2);
    assert_eq!(passes_after(2, old(), login("user", "4/h burst 4")), 2);
}

#[test]
fn a_limit_that_is_added_begins_with_nothing_used() {
    let (old, new) = (login("user", "3/h"), login("user", "3/h, 2/min"));
    assert_eq!(passes_after(2, old, new), 1);
}

#[test]
fn the_place_in_a_list_has_no_meaning() {
    let old = login("user", "2/min fixed_window, 9/h fixed_window");
    let new = login("user", "9/h fixed_window, 3/min fixed_window");
    assert_eq!(passes_after(2, old, new), 1);
}

#[test]
fn a_changed_key_starts_fresh() {
    let old = || login("user", "3/h");
    assert_eq!(passes_after(2, old(), login("org", "3/h")), 3);
    assert_eq!(passes_after(2, old(), login("user, ip", "3/h")), 3);
    assert_eq!(passes_after(2, old(), login("org", "3/min")), 3);
    assert_eq!(passes_after(2, old(), login("user|ip", "3/min")), 3);
}

#[test]
fn key_fields_in_another_order_are_the_same_key() {
    let (old, new) = (login("user, ip", "3/h"), login("ip, user", "3/h"));
    assert_eq!(passes_after(2, old, new), 1);
}

#[test]
fn an_edited_match_keeps_the_counters() {
    let new = login("user", "3/h").endpoint("/login").priority(7);
    assert_eq!(passes_after(2, login("user", "3/h"), new), 1);
}

#[test]
fn renaming_keeps_the_counters_only_with_the_id() {
    let renamed = || throttle("sign-in", "user", "3/h");
    assert_eq!(passes_after(2, login("user", "3/h"), renamed()), 3);
    let old: Name = "login".parse().unwrap();
    let same = renamed().but(|rule| rule.id = old.rule_id());
    assert_eq!(passes_after(2, login("user", "3/h"), same), 1);
}

#[test]
fn a_replaced_snapshot_names_the_former_period_in_its_charges() {
    let old = tollgate_rules::Snapshot::compile(&rules([login("user", "3/h")]), 1);
    let new = old.succeed(&rules([login("user", "3/min")]), 2);
    let directory = tollgate_rules::Directory::new();
    let wall = House::of([]).wall();
    let plan = new.plan(&request("user=a"), &directory, wall);
    let charges = plan.charges();
    let former: Vec<String> = charges[0].former.iter().map(ToString::to_string).collect();
    assert_eq!(former, ["3/h"]);
}
