//! 12.4: questions about some of the throttles.

use tollgate_rules::{Missing, Scope};

use super::words::{House, Said as _, allow, block, request, throttle};

fn scope(text: &str) -> Scope {
    text.parse().unwrap()
}

#[test]
fn a_scope_keeps_the_throttles_whose_key_contains_it() {
    let keys = ["user", "org", "ip", "api_key", "tier", "endpoint", "method"];
    let each = keys.map(|key| throttle(&format!("by-{key}"), key, "5/min"));
    let several = throttle("several", "user|ip, tier", "5/min");
    let global = throttle("global", "", "5/min");
    let house = House::of(each.into_iter().chain([several, global]));
    let facts = "user=a, org=b, ip=10.0.0.1, api_key=c, endpoint=/, method=GET";
    let kept = |scope_name: &str| house.charged(&request(facts).scope(scope(scope_name)));
    assert_eq!(kept("user"), ["by-user", "several"]);
    assert_eq!(kept("org"), ["by-org"]);
    assert_eq!(kept("ip"), ["by-ip", "several"]);
    assert_eq!(kept("api_key"), ["by-api_key"]);
    assert_eq!(kept("tier"), ["by-tier", "several"]);
    assert_eq!(kept("endpoint"), ["by-endpoint"]);
    assert_eq!(kept("global"), ["global"]);
}

#[test]
fn anything_else_is_no_scope() {
    for text in ["method", "region", "attributes.plan", "User", ""] {
        assert!(text.parse::<Scope>().is_err(), "{text}");
    }
}

#[test]
fn block_and_allow_always_walk() {
    let blocked = block("bad").network("192.0.2.0/24");
    let trusted = allow("trusted").network("10.0.0.0/8");
    let house = House::of([blocked, trusted, throttle("by-user", "user", "5/min")]);
    let sent = |facts| house.meets(&request(facts).scope(Scope::User));
    assert_eq!(sent("user=a, ip=192.0.2.1"), ["denied by bad"]);
    assert!(sent("user=a, ip=10.0.0.1").is_empty());
    assert_eq!(sent("user=a, ip=198.51.100.1"), ["by-user 5/min"]);
}

#[test]
fn a_throttle_outside_the_scope_still_holds_its_group() {
    let first = throttle("first", "ip", "5/min").priority(1).group("one");
    let second = throttle("second", "user", "5/min").group("one");
    let house = House::of([first, second]);
    let query = request("user=a, ip=10.0.0.1").scope(Scope::User);
    assert!(house.charged(&query).is_empty());
    assert!(house.is_matched(&query));
}

#[test]
fn a_throttle_outside_the_scope_denies_nobody() {
    let denying = throttle("by-ip", "ip", "5/min").missing(Missing::Deny);
    let house = House::of([denying, throttle("by-user", "user", "5/min")]);
    let query = request("user=a");
    assert_eq!(house.meets(&query), ["denied by by-ip"]);
    assert_eq!(house.charged(&query.scope(Scope::User)), ["by-user"]);
}
