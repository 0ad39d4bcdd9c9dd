//! 12.1: in which order rules are walked.

use tollgate_rules::{AttributeCondition, Block, DescriptorEntry, Field};

use super::words::{House, Said as _, allow, request, rules, throttle};

/// Everything a rule of these examples may ask for.
const EVERYTHING: &str = "user=alice, org=acme, api_key=k1, tier=free, ip=10.1.2.3, \
    endpoint=/api/users/42, method=GET, plan=trial, app=ios";

/// Rules without a priority, in the order in which they must be walked; their names say the opposite.
fn assert_order<const N: usize>(walked: [fn(tollgate_rules::Rule) -> tollgate_rules::Rule; N]) {
    let named = |place: usize| format!("rule-{}", N - place);
    let made = walked.iter().enumerate().map(|(place, said)| {
        let rule = throttle(&named(place), "user", "5/min");
        said(rule)
    });
    let house = House::of(made);
    let expected: Vec<String> = (0..N).map(named).collect();
    assert_eq!(house.charged(&request(EVERYTHING)), expected);
}

#[test]
fn priority_comes_first_and_is_zero_by_default() {
    assert_order([
        |rule| rule.priority(1),
        |rule| rule.endpoint("/api/users/42").priority(0),
        |rule| rule,
        |rule| rule.endpoint("/api/users/42").priority(-1),
    ]);
}

#[test]
fn endpoints_exact_then_parameter_then_one_then_rest_then_none() {
    assert_order([
        |rule| rule.endpoint("/api/users/42"),
        |rule| rule.endpoint("/api/users/{id}"),
        |rule| rule.endpoint("/api/users/*"),
        |rule| rule.endpoint("/api/users/42/**"),
        |rule| rule.user("alice").method("GET").network("10.1.2.3/32"),
    ]);
}

#[test]
fn a_pattern_is_as_wide_as_its_widest_segment() {
    assert_order([
        |rule| rule.endpoint("/{a}/{b}/{c}"),
        |rule| rule.endpoint("/api/{b}/*"),
        |rule| rule.endpoint("/api/*/**"),
    ]);
}

#[test]
fn more_literal_segments_come_first() {
    assert_order([
        |rule| rule.endpoint("/api/users/{id}"),
        |rule| rule.endpoint("/api/{what}/{id}").network("10.1.2.3/32"),
    ]);
}

#[test]
fn longer_networks_come_first_and_of_a_list_the_shortest_counts() {
    assert_order([
        |rule| rule.network("10.1.2.3/32"),
        |rule| rule.network("10.1.0.0/16"),
        |rule| rule.network("10.0.0.0/8, 10.1.2.3/32"),
        |rule| rule.network("0.0.0.0/0"),
        |rule| rule.network("10.1.2.3/32, 2001:db8::/32"),
        |rule| rule.network("10.1.2.3/32, ::/0"),
        |rule| rule.user("alice"),
    ]);
}

#[test]
fn a_network_of_ipv4_is_as_long_as_when_written_as_ipv6() {
    let wide = throttle("wide", "user", "5/min").network("0.0.0.0/0, 2001:db8::/95");
    let narrow = throttle("z-narrow", "user", "5/min").network("0.0.0.0/0");
    let house = House::of([wide, narrow]);
    let query = request("user=alice, ip=10.0.0.1");
    assert_eq!(house.charged(&query), ["z-narrow", "wide"]);
}

#[test]
fn user_or_key_named_then_organisation_named_then_tier_named() {
    assert_order([
        |rule| rule.user("alice"),
        |rule| rule.org("acme"),
        |rule| rule.tier("free"),
        |rule| rule.method("GET"),
    ]);
    assert_order([
        |rule| rule.api_key("k1"),
        |rule| rule.org("acme").tier("free"),
        |rule| rule.tier("free"),
        |rule| rule.attribute("plan", AttributeCondition::Exact("trial".into())),
    ]);
}

#[test]
fn user_named_and_key_named_are_alike() {
    let user = throttle("b", "user", "5/min").user("alice");
    let key = throttle("a", "user", "5/min").api_key("k1");
    let both = throttle("c", "user", "5/min").user("alice").tier("free");
    let house = House::of([user, key, both]);
    assert_eq!(house.charged(&request(EVERYTHING)), ["a", "b", "c"]);
}

#[test]
fn more_attribute_conditions_then_exact_then_one_of_then_ends() {
    assert_order([
        |rule| {
            rule.attribute("plan", AttributeCondition::Prefix("tri".into()))
                .attribute("app", AttributeCondition::Suffix("os".into()))
        },
        |rule| rule.attribute("plan", AttributeCondition::Exact("trial".into())),
        |rule| {
            let texts = vec!["trial".into(), "pro".into()];
            rule.attribute("plan", AttributeCondition::OneOf(texts))
        },
        |rule| rule.attribute("plan", AttributeCondition::Prefix("tri".into())),
        |rule| rule.method("GET"),
    ]);
    let suffix = throttle("a", "user", "5/min");
    let suffix = suffix.attribute("app", AttributeCondition::Suffix("s".into()));
    let prefix = throttle("b", "user", "5/min");
    let prefix = prefix.attribute("app", AttributeCondition::Prefix("i".into()));
    let house = House::of([prefix, suffix]);
    assert_eq!(house.charged(&request(EVERYTHING)), ["a", "b"]);
}

#[test]
fn descriptor_entries_are_attribute_conditions_exact_if_they_have_a_value() {
    let entry = |key: &str, value: Option<&str>| DescriptorEntry {
        key: key.into(),
        value: value.map(Into::into),
    };
    let exact = throttle("z-exact", "user", "5/min")
        .but(|rule| rule.matches.descriptor = Some(vec![entry("path", Some("/api"))]));
    let any = throttle("any", "user", "5/min")
        .but(|rule| rule.matches.descriptor = Some(vec![entry("path", None)]));
    let none = throttle("a-none", "user", "5/min").method("GET");
    let house = House::of([exact, any, none]);
    let query = request("user=alice, method=GET");
    let query = query.descriptor(&[("path", "/api")]).unwrap();
    assert_eq!(house.charged(&query), ["z-exact", "any", "a-none"]);
}

#[test]
fn a_descriptor_matches_exactly_these_entries_in_order() {
    let entry = |key: &str, value: Option<&str>| DescriptorEntry {
        key: key.into(),
        value: value.map(Into::into),
    };
    let wanted = vec![entry("domain", Some("edge")), entry("path", None)];
    let rule = throttle("edge", "", "5/min");
    let house = House::of([rule.but(|rule| rule.matches.descriptor = Some(wanted))]);
    let charged = |entries: &[(&'static str, &'static str)]| {
        let query = request("user=alice").descriptor(entries).unwrap();
        !house.charged(&query).is_empty()
    };
    assert!(charged(&[("domain", "edge"), ("path", "/anything")]));
    assert!(!charged(&[("path", "/anything"), ("domain", "edge")]));
    assert!(!charged(&[("domain", "edge")]));
    assert!(!charged(&[("domain", "other"), ("path", "/anything")]));
    assert!(!charged(&[("domain", "edge"), ("path", "/"), ("more", "x")]));
}

#[test]
fn a_method_set_comes_before_none_and_then_the_name_decides() {
    assert_order([|rule| rule.method("GET"), |rule| rule]);
    let house = House::of(["b", "c", "a"].map(|name| throttle(name, "user", "5/min")));
    assert_eq!(house.charged(&request("user=alice")), ["a", "b", "c"]);
}

#[test]
fn blocks_come_before_everything_and_no_allow_skips_them() {
    let house = House::of([allow("everyone").priority(1_000)]);
    let alice = request("user=alice");
    assert!(house.meets(&alice).is_empty());
    house.directory.block(&Block::new(Field::User, "alice".into()));
    assert_eq!(house.meets(&alice), ["denied by caller"]);
    house.directory.unblock(&Block::new(Field::User, "alice".into()));
    assert!(house.meets(&alice).is_empty());
}

#[test]
fn of_a_group_only_the_first_applies() {
    let narrow = throttle("narrow", "user", "5/min").endpoint("/login");
    let wide = throttle("wide", "user", "100/min").endpoint("/**");
    let beside = throttle("beside", "user", "50/min");
    let house = House::of([narrow.group("per-user"), wide.group("per-user"), beside]);
    let login = request("user=alice, endpoint=/login");
    assert_eq!(house.charged(&login), ["narrow", "beside"]);
    let search = request("user=alice, endpoint=/search");
    assert_eq!(house.charged(&search), ["wide", "beside"]);
}

#[test]
fn a_disabled_rule_does_not_take_its_groups_place() {
    let first = throttle("first", "user", "5/min").priority(1).disabled();
    let second = throttle("second", "user", "100/min");
    let house = House::of([first.group("per-user"), second.group("per-user")]);
    assert_eq!(house.charged(&request("user=alice")), ["second"]);
}

#[test]
fn a_skipped_rule_does_not_take_its_groups_place() {
    let first = throttle("first", "user", "5/min").priority(1);
    let second = throttle("second", "ip", "100/min");
    let house = House::of([first.group("one"), second.group("one")]);
    assert_eq!(house.charged(&request("ip=10.0.0.1")), ["second"]);
    let both = request("ip=10.0.0.1, user=alice");
    assert_eq!(house.charged(&both), ["first"]);
}

#[test]
fn the_order_does_not_depend_on_how_many_rules_there_are() {
    let many = (0..200).map(|number| {
        let rule = throttle(&format!("other-{number}"), "user", "5/min");
        rule.endpoint(&format!("/other/{number}/*"))
    });
    let wide = throttle("a-wide", "user", "5/min").endpoint("/api/**");
    let exact = throttle("z-exact", "user", "5/min").endpoint("/api/users");
    let house = House::new(&rules(many.chain([wide, exact])));
    let query = request("user=alice, endpoint=/api/users");
    assert_eq!(house.charged(&query), ["z-exact", "a-wide"]);
}
