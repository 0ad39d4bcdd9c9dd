//! 12.8 and R12: exceptions for one key.

use tollgate_core::Micros;
use tollgate_rules::{Change, Override, Rule, RuleSet};

use super::words::{House, Said as _, all, exception, one, request, rules, throttle};

/// One rule with these overrides of the file.
fn house(rule: Rule, overrides: impl IntoIterator<Item = Override>) -> House {
    House::new(&set(rule, overrides))
}

fn set(rule: Rule, overrides: impl IntoIterator<Item = Override>) -> RuleSet {
    let mut set = rules([rule]);
    set.overrides.extend(overrides);
    set
}

fn login(limits: &str) -> Rule {
    throttle("login", "user", limits)
}

fn factor(text: &str) -> Change {
    Change::Factor(text.parse().unwrap())
}

#[test]
fn an_override_is_for_its_key_alone() {
    let house = house(login("1/min"), [exception("login", "user=a", one("5/min"))]);
    assert_eq!(house.passes(&request("user=a"), 9), 5);
    assert_eq!(house.passes(&request("user=b"), 9), 1);
}

#[test]
fn a_limit_replaces_that_of_its_period_and_limits_replace_all() {
    let (a, b) = (request("user=a"), request("user=b"));
    let rule = login("1/min, 10/h");
    let house = house(
        rule,
        [
            exception("login", "user=a", one("5/min")),
            exception("login", "user=b", all("7/day")),
            exception("login", "user=c", one("5/day")),
        ],
    );
    assert_eq!(house.meets(&a), ["login 5/min", "login 10/h"]);
    assert_eq!(house.meets(&b), ["login 7/day"]);
    assert_eq!(house.meets(&request("user=c")), ["login 1/min", "login 10/h"]);
}

#[test]
fn what_an_override_does_not_state_is_as_in_the_rule() {
    let in_force = |rule: &str, stated: Change| {
        house(login(rule), [exception("login", "user=a", stated)]).limit(&request("user=a"))
    };
    assert_eq!(in_force("1/s burst 9", one("5/s")), "5/s token_bucket burst 9");
    assert_eq!(in_force("1/s fixed_window", one("5/s")), "5/s fixed_window");
    assert_eq!(
        in_force("1/s leaky_bucket burst 2", one("5/s burst 3")),
        "5/s leaky_bucket burst 3"
    );
    assert_eq!(in_force("1/s fixed_window", one("5/s burst 3")), "5/s token_bucket burst 3");
    assert_eq!(in_force("1/s burst 9", one("5/s sliding_log")), "5/s sliding_log");
    assert_eq!(in_force("1/s fixed_window", all("5/s")), "5/s fixed_window");
    assert_eq!(in_force("1/s fixed_window", all("5/min")), "5/min sliding_window");
}

#[test]
fn a_factor_multiplies_amount_and_burst() {
    let scaled = |rule: &str, text: &str| {
        house(login(rule), [exception("login", "user=a", factor(text))]).limit(&request("user=a"))
    };
    assert_eq!(scaled("10/s burst 5", "1.5x"), "15/s token_bucket burst 7");
    assert_eq!(scaled("10/s fixed_window", "0.01x"), "1/s fixed_window");
    assert_eq!(scaled("10/s leaky_bucket burst 0", "2x"), "20/s leaky_bucket burst 0");
}

#[test]
fn unlimited_is_no_limit_but_the_rule_has_applied() {
    let first = throttle("first", "user", "1/min").priority(1).group("one");
    let mut set = rules([first, throttle("second", "user", "1/min").group("one")]);
    set.overrides.push(exception("first", "user=a", Change::Unlimited));
    let house = House::new(&set);
    assert!(house.meets(&request("user=a")).is_empty());
    assert_eq!(house.passes(&request("user=a"), 99), 99);
    assert_eq!(house.charged(&request("user=b")), ["first"]);
}

#[test]
fn an_override_names_every_key_field() {
    let rule = throttle("login", "user, method", "1/min");
    let half = exception("login", "user=a", one("5/min"));
    let full = exception("login", "user=a, method=PUT", one("7/min"));
    let house = house(rule, [half, full]);
    assert_eq!(house.meets(&request("user=a, method=GET")), ["login 1/min"]);
    assert_eq!(house.meets(&request("user=a, method=PUT")), ["login 7/min"]);
}

#[test]
fn of_alternatives_an_override_is_for_the_one_it_names() {
    let rule = throttle("login", "user|ip", "1/min");
    let house = house(rule, [exception("login", "user=10.0.0.1", one("5/min"))]);
    assert_eq!(house.meets(&request("user=10.0.0.1")), ["login 5/min"]);
    assert_eq!(house.meets(&request("ip=10.0.0.1")), ["login 1/min"]);
}

#[test]
fn one_of_no_rule_is_for_all_rules_that_count_by_these_facts() {
    let mut set = rules([
        throttle("a", "user", "1/min"),
        throttle("b", "user|ip", "2/min"),
        throttle("c", "user, ip", "3/min"),
    ]);
    let mut everywhere = exception("a", "user=x", factor("10x"));
    everywhere.rule = None;
    set.overrides.push(everywhere);
    let met = House::new(&set).meets(&request("user=x, ip=10.0.0.1"));
    assert_eq!(met, ["a 10/min", "b 20/min", "c 3/min"]);
}

#[test]
fn api_before_file_then_temporary_before_permanent_then_newer_before_older() {
    let older = exception("login", "user=a", one("2/min"));
    let newer = exception("login", "user=a", one("3/min"));
    let mut temporary = exception("login", "user=a", one("4/min"));
    let start = House::of([]).wall();
    temporary.until = Some(start.saturating_add(Micros::from_secs(60)));
    let a = request("user=a");

    let file = |overrides: &[&Override]| house(login("1/min"), overrides.iter().copied().cloned());
    assert_eq!(file(&[&older, &newer]).limit(&a), "3/min sliding_window");
    assert_eq!(file(&[&temporary, &older, &newer]).limit(&a), "4/min sliding_window");

    // By the API the newer has the higher id, whichever is put first.
    let id = login("1/min").id;
    let api = file(&[&temporary]);
    api.directory.put(9, Some(id), &newer);
    api.directory.put(5, Some(id), &older);
    assert_eq!(api.limit(&a), "3/min sliding_window");
    api.directory.put(1, Some(id), &temporary);
    assert_eq!(api.limit(&a), "4/min sliding_window");
    api.directory.remove(1);
    api.directory.remove(9);
    assert_eq!(api.limit(&a), "2/min sliding_window");
    api.directory.remove(5);
    assert_eq!(api.limit(&a), "4/min sliding_window");
    api.pass_time(60);
    assert_eq!(api.limit(&a), "1/min sliding_window");
}

#[test]
fn an_ended_override_gives_the_rules_limit_back_with_what_was_admitted() {
    let mut raised = exception("login", "user=a", one("5/h"));
    let start = House::of([]).wall();
    raised.until = Some(start.saturating_add(Micros::from_secs(60)));
    let house = house(login("3/h fixed_window"), [raised]);
    let a = request("user=a");
    assert_eq!(house.passes(&a, 2), 2);
    house.pass_time(60);
    assert_eq!(house.meets(&a), ["login 3/h"]);
    assert_eq!(house.passes(&a, 9), 1);
}

#[test]
fn what_was_admitted_under_another_period_is_carried_over_when_the_override_ends() {
    let mut other = exception("login", "user=a", all("5/day fixed_window"));
    let start = House::of([]).wall();
    other.until = Some(start.saturating_add(Micros::from_secs(60)));
    let mut house = house(login("3/h fixed_window"), [other.clone()]);
    let a = request("user=a");
    assert_eq!(house.passes(&a, 2), 2);
    house.pass_time(60);
    // The file is loaded again in between: the override is still there, and has ended.
    house.replace(&set(login("3/h fixed_window"), [other]));
    assert_eq!(house.passes(&a, 9), 1);
}

#[test]
fn what_was_admitted_under_an_override_that_ended_counts_under_the_next_one() {
    let mut ended = exception("login", "user=a", all("5/day fixed_window"));
    let start = House::of([]).wall();
    ended.until = Some(start.saturating_add(Micros::from_secs(60)));
    let next = exception("login", "user=a", all("4/week fixed_window"));
    let house = house(login("3/h fixed_window"), [ended, next]);
    let a = request("user=a");
    assert_eq!(house.passes(&a, 3), 3);
    house.pass_time(60);
    assert_eq!(house.passes(&a, 9), 1);
}

#[test]
fn a_rule_set_that_changes_keeps_what_was_counted_before_an_override_that_ended() {
    let mut ended = exception("login", "user=a", all("5/day fixed_window"));
    ended.until = Some(House::of([]).wall());
    let mut house = house(login("4/h fixed_window"), []);
    let a = request("user=a");
    assert_eq!(house.passes(&a, 2), 2);
    house.replace(&set(login("4/min fixed_window"), [ended]));
    assert_eq!(house.passes(&a, 9), 2);
}

#[test]
fn limits_that_came_back_are_not_said_to_be_overridden() {
    let mut ended = exception("login", "user=a", all("5/day"));
    let wall = House::of([]).wall();
    ended.until = Some(wall);
    let set = set(login("3/h"), [ended]);
    let snapshot = tollgate_rules::Snapshot::compile(&set, 1);
    let directory = tollgate_rules::Directory::new();
    let plan = snapshot.plan(&request("user=a"), &directory, wall);
    assert!(!plan.lines()[0].is_overridden());
}

#[test]
fn an_override_of_the_api_that_is_put_again_is_replaced_wherever_it_was() {
    let house = house(login("1/min"), []);
    let id = login("1/min").id;
    let put = |key: &str, limit: &str| {
        let exception = exception("login", key, one(limit));
        assert!(house.directory.put(7, Some(id), &exception));
    };
    put("user=a", "5/min");
    put("user=a", "6/min");
    assert_eq!(house.limit(&request("user=a")), "6/min sliding_window");
    put("user=b", "7/min");
    assert_eq!(house.limit(&request("user=a")), "1/min sliding_window");
    assert_eq!(house.limit(&request("user=b")), "7/min sliding_window");
    assert_eq!(house.directory.len(), 1);
    assert!(house.directory.remove(7));
    assert!(!house.directory.remove(7));
    assert_eq!(house.limit(&request("user=b")), "1/min sliding_window");
}
