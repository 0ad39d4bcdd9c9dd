//! R4: tiers and their default limits.

use tollgate_core::{Reason, Timestamp};
use tollgate_rules::{
    Block, Change, Directory, Field, Live, Override, Query, RuleSet, Scope, UnknownTier,
};

use super::words::{House, Said as _, all, limit_set, request, rules, throttle};

fn with_defaults(all: impl IntoIterator<Item = tollgate_rules::Rule>) -> RuleSet {
    let mut set = rules(all);
    set.tiers.get_mut("free").unwrap().default = Some(limit_set("2/min"));
    set.tiers.get_mut("premium").unwrap().default = Some(limit_set("4/min"));
    set
}

#[test]
fn defaults_apply_to_requests_that_no_throttle_matched() {
    let login = throttle("login", "user", "1/min").endpoint("/login");
    let house = House::new(&with_defaults([login]));
    assert_eq!(house.charged(&request("user=a, endpoint=/login")), ["login"]);
    assert_eq!(house.charged(&request("user=a, endpoint=/")), ["tier:free"]);
}

#[test]
fn a_throttle_that_was_skipped_has_not_matched() {
    let house = House::new(&with_defaults([throttle("by-org", "org", "1/min")]));
    assert_eq!(house.charged(&request("user=a")), ["tier:free"]);
    assert_eq!(house.charged(&request("user=a, org=b")), ["by-org"]);
}

#[test]
fn a_throttle_without_limit_by_override_or_out_of_scope_has_matched() {
    let mut set = with_defaults([throttle("by-user", "user", "1/min")]);
    let free_of_limits = super::words::exception("by-user", "user=a", Change::Unlimited);
    set.overrides.push(free_of_limits);
    let house = House::new(&set);
    assert!(house.charged(&request("user=a")).is_empty());
    assert!(house.is_matched(&request("user=a")));
    let out_of_scope = request("user=b, ip=10.0.0.1").scope(Scope::Ip);
    assert!(house.charged(&out_of_scope).is_empty());
}

#[test]
fn defaults_are_counted_by_user_or_key_or_address() {
    let house = House::new(&with_defaults([]));
    assert_eq!(house.passes(&request("user=a, api_key=k, ip=10.0.0.1"), 5), 2);
    assert_eq!(house.passes(&request("user=a"), 5), 0);
    assert_eq!(house.passes(&request("api_key=k, ip=10.0.0.1"), 5), 2);
    assert_eq!(house.passes(&request("ip=10.0.0.1"), 5), 2);
    // Nobody is known: nothing to count by.
    assert_eq!(house.passes(&request("org=o"), 5), 5);
    assert!(!house.is_matched(&request("org=o")));
}

#[test]
fn the_defaults_of_two_tiers_are_two_counters() {
    let house = House::new(&with_defaults([]));
    assert_eq!(house.passes(&request("user=a, tier=free"), 9), 2);
    assert_eq!(house.passes(&request("user=a, tier=premium"), 9), 4);
}

#[test]
fn a_request_without_a_tier_is_of_the_default_tier() {
    let mut set = with_defaults([throttle("paying", "org", "1/min").tier("premium")]);
    let plain = request("user=a, org=o");
    assert_eq!(House::new(&set).charged(&plain), ["tier:free"]);
    set.default_tier = "premium".parse().unwrap();
    assert_eq!(House::new(&set).charged(&plain), ["paying"]);
}

// Proves: R4
#[test]
fn a_tier_that_nothing_names_counts_as_the_default() {
    let mut set = with_defaults([throttle("paying", "org", "1/min").tier("premium")]);
    let odd = request("user=a, org=o, tier=gold");
    assert_eq!(House::new(&set).charged(&odd), ["tier:free"]);
    let house = House::new(&set);
    assert_eq!(house.passes(&request("user=a, tier=free"), 9), 2);
    assert_eq!(house.passes(&odd, 9), 0, "one counter with the default");
    set.default_tier = "premium".parse().unwrap();
    assert_eq!(House::new(&set).charged(&odd), ["paying"]);
    // A rule that is keyed by tier counts it there, too.
    let by_tier = House::new(&with_defaults([throttle("all", "tier", "3/min")]));
    assert_eq!(by_tier.passes(&request("tier=gold"), 2), 2);
    assert_eq!(by_tier.passes(&request("tier=silver"), 9), 1);
}

// Proves: R4
#[test]
fn a_tier_that_nothing_names_can_be_kept_or_refused() {
    let set = with_defaults([throttle("free-only", "", "1/min").tier("free")]);
    let live = |policy| {
        let live = Live::new().with_unknown_tier(policy);
        live.publish(&RuleSet::default(), 1);
        live.publish(&set, 2);
        live
    };
    let odd = request("user=a, tier=gold");
    let plan = |live: &Live, query: &Query<'_>| {
        let snapshot = live.snapshot().unwrap();
        let plan = snapshot.plan(query, live.directory(), Timestamp::EPOCH);
        (plan.lines().len(), plan.stop().map(tollgate_rules::Stop::reason))
    };
    assert_eq!(plan(&live(UnknownTier::Default), &odd), (1, None));
    assert_eq!(plan(&live(UnknownTier::Keep), &odd), (0, None));
    let refusing = live(UnknownTier::Refuse);
    assert_eq!(plan(&refusing, &odd), (0, Some(Reason::UnknownTier)));
    assert_eq!(plan(&refusing, &request("user=a, tier=free")), (1, None));
    assert_eq!(plan(&refusing, &request("user=a")), (1, None));
    let block = Block::new(Field::User, "a".into());
    refusing.directory().block(&block);
    assert_eq!(plan(&refusing, &odd), (0, Some(Reason::Blocked)), "blocks come first");
    let told = refusing.snapshot().unwrap();
    let told = told.explain(&request("user=b, tier=gold"), &Directory::new(), Timestamp::EPOCH);
    assert!(told.to_string().contains("unknown_tier is refuse"), "{told}");
}

#[test]
fn scope_and_overrides_of_all_rules_hold_for_defaults_too() {
    let mut set = with_defaults([]);
    let mut raised = Override::new(None);
    raised.key.insert("user".parse().unwrap(), "a".into());
    raised.change = all("7/min");
    set.overrides.push(raised);
    let house = House::new(&set);
    assert_eq!(house.meets(&request("user=a")), ["tier:free 7/min"]);
    assert_eq!(house.meets(&request("user=b")), ["tier:free 2/min"]);
    assert!(house.meets(&request("user=b").scope(Scope::Org)).is_empty());
    assert_eq!(house.charged(&request("user=b").scope(Scope::Ip)), ["tier:free"]);
}

#[test]
fn a_group_of_throttles_counts_as_one_that_matched() {
    let first = throttle("first", "user", "1/min").group("one");
    let second = throttle("second", "user", "1/min").group("one");
    let house = House::new(&with_defaults([first, second]));
    assert_eq!(house.charged(&request("user=a")), ["first"]);
}
