//! 12.2: requests without a fact that a key needs.

use tollgate_rules::{Directory, Missing, Snapshot};

use super::words::{House, Said as _, request, rules, throttle};

#[test]
fn by_default_the_rule_does_not_apply() {
    let house = House::of([throttle("per-user", "user", "1/min")]);
    let nobody = request("ip=10.0.0.1");
    assert!(house.meets(&nobody).is_empty());
    assert!(!house.is_matched(&nobody));
}

#[test]
fn explain_says_what_was_missing() {
    let set = rules([throttle("per-user", "user|api_key", "1/min")]);
    let house = House::new(&set);
    let snapshot = Snapshot::compile(&set, 1);
    let nobody = request("ip=10.0.0.1");
    let story = snapshot.explain(&nobody, &Directory::new(), house.wall());
    assert!(story.to_string().contains("skipped: no user|api_key"), "{story}");
}

#[test]
fn shared_is_one_bucket_for_all_of_them() {
    let rule = throttle("per-user", "user, region", "2/min").missing(Missing::Shared);
    let house = House::of([rule]);
    assert_eq!(house.passes(&request("ip=10.0.0.1"), 5), 2);
    // Neither another address nor half of the facts is another bucket.
    assert_eq!(house.passes(&request("ip=10.0.0.2"), 5), 0);
    assert_eq!(house.passes(&request("user=alice"), 5), 0);
    assert_eq!(house.passes(&request("region=eu"), 5), 0);
    // Those who have all the facts are counted by them.
    assert_eq!(house.passes(&request("user=alice, region=eu"), 5), 2);
}

#[test]
fn no_name_a_user_can_have_is_the_shared_bucket() {
    let rule = throttle("per-user", "user", "1/min").missing(Missing::Shared);
    let house = House::of([rule]);
    assert_eq!(house.passes(&request("ip=10.0.0.1"), 2), 1);
    for user in ["shared", "\u{ff}", "-"] {
        assert_eq!(house.passes(&request(&format!("user={user}")), 2), 1, "{user}");
    }
}

#[test]
fn deny_denies_and_charges_nothing() {
    let above = throttle("above", "", "5/min").priority(1);
    let denying = throttle("denying", "user", "5/min").missing(Missing::Deny);
    let house = House::of([above, denying]);
    assert_eq!(house.meets(&request("ip=10.0.0.1")), ["denied by denying"]);
    assert_eq!(house.passes(&request("ip=10.0.0.1"), 10), 0);
    assert_eq!(house.passes(&request("user=alice"), 10), 5);
}

#[test]
fn what_has_ended_the_walk_before_is_not_denied() {
    let allow = super::words::allow("trusted").network("10.0.0.0/8");
    let denying = throttle("denying", "user", "5/min").missing(Missing::Deny);
    let house = House::of([allow, denying]);
    assert!(house.meets(&request("ip=10.0.0.1")).is_empty());
    assert_eq!(house.meets(&request("ip=192.0.2.1")), ["denied by denying"]);
}

#[test]
fn a_throttle_whose_group_is_taken_does_not_deny() {
    let first = throttle("first", "ip", "5/min").priority(1).group("one");
    let denying = throttle("denying", "user", "5/min").missing(Missing::Deny);
    let house = House::of([first, denying.group("one")]);
    assert_eq!(house.charged(&request("ip=10.0.0.1")), ["first"]);
}

#[test]
fn an_empty_string_is_missing() {
    let rule = throttle("per-user", "user|attributes.plan", "1/min").missing(Missing::Deny);
    let house = House::of([rule]);
    assert_eq!(house.meets(&request("user= , plan=")), ["denied by per-user"]);
}
