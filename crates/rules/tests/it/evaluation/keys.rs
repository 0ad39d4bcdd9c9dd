//! 12.3 and R3: what names a counter.

use super::words::{House, Said as _, request, throttle};

#[test]
fn the_endpoint_is_the_rules_pattern_with_its_placeholders() {
    let rule = throttle("users", "endpoint", "1/min").endpoint("/users/{id}");
    let house = House::of([rule]);
    assert_eq!(house.passes(&request("endpoint=/users/1"), 2), 1);
    assert_eq!(house.passes(&request("endpoint=/users/2"), 2), 0);
}

#[test]
fn without_a_pattern_the_endpoint_is_the_normal_path() {
    let house = House::of([throttle("all", "endpoint", "1/min")]);
    assert_eq!(house.passes(&request("endpoint=/users/1"), 2), 1);
    assert_eq!(house.passes(&request("endpoint=/users//x/../%31/?a=b"), 2), 0);
    assert_eq!(house.passes(&request("endpoint=/users/2"), 2), 1);
}

#[test]
fn every_combination_of_facts_is_a_counter_of_its_own() {
    let house = House::of([throttle("pairs", "user, method, attributes.plan", "1/min")]);
    for facts in [
        "user=a, method=GET, plan=x",
        "user=b, method=GET, plan=x",
        "user=a, method=PUT, plan=x",
        "user=a, method=GET, plan=y",
    ] {
        assert_eq!(house.passes(&request(facts), 2), 1, "{facts}");
    }
}

#[test]
fn values_do_not_run_together() {
    let house = House::of([throttle("pairs", "user, org", "1/min")]);
    assert_eq!(house.passes(&request("user=a_b, org=c"), 2), 1);
    assert_eq!(house.passes(&request("user=a, org=b_c"), 2), 1);
    assert_eq!(house.passes(&request("user=a, org=b"), 2), 1);
    assert_eq!(house.passes(&request("user=ab, org=b"), 2), 1);
}

#[test]
fn of_alternatives_the_first_present_counts_and_none_is_taken_for_another() {
    let house = House::of([throttle("callers", "user|api_key|org", "1/min")]);
    assert_eq!(house.passes(&request("user=x, api_key=y, org=z"), 2), 1);
    assert_eq!(house.passes(&request("user=x"), 2), 0);
    assert_eq!(house.passes(&request("api_key=x"), 2), 1);
    assert_eq!(house.passes(&request("org=x"), 2), 1);
}

#[test]
fn attributes_of_one_value_are_not_one_counter() {
    let house = House::of([throttle("either", "attributes.a|attributes.b", "1/min")]);
    assert_eq!(house.passes(&request("a=x"), 2), 1);
    assert_eq!(house.passes(&request("b=x"), 2), 1);
}

#[test]
fn an_attributes_name_does_not_run_into_its_value() {
    let house = House::of([throttle("either", "attributes.a|attributes.ab", "1/min")]);
    assert_eq!(house.passes(&request("a=bc"), 2), 1);
    assert_eq!(house.passes(&request("ab=c"), 2), 1);
}

#[test]
fn ipv6_is_counted_by_64_bits_unless_the_key_says_otherwise() {
    let house = House::of([throttle("by-net", "ip", "1/min")]);
    assert_eq!(house.passes(&request("ip=2001:db8:0:1::1"), 2), 1);
    assert_eq!(house.passes(&request("ip=2001:db8:0:1:ffff::2"), 2), 0);
    assert_eq!(house.passes(&request("ip=2001:db8:0:2::1"), 2), 1);
    let house = House::of([throttle("by-site", "ip/48", "1/min")]);
    assert_eq!(house.passes(&request("ip=2001:db8:0:1::1"), 2), 1);
    assert_eq!(house.passes(&request("ip=2001:db8:0:2::1"), 2), 0);
}

#[test]
fn ipv4_is_counted_by_address_however_it_is_written() {
    let house = House::of([throttle("by-ip", "ip", "1/min")]);
    assert_eq!(house.passes(&request("ip=192.0.2.1"), 2), 1);
    assert_eq!(house.passes(&request("ip=::ffff:192.0.2.1"), 2), 0);
    assert_eq!(house.passes(&request("ip=192.0.2.2"), 2), 1);
}

#[test]
fn no_field_at_all_is_one_counter_for_everyone() {
    let house = House::of([throttle("everyone", "", "3/min")]);
    assert_eq!(house.passes(&request("user=a"), 2), 2);
    assert_eq!(house.passes(&request("user=b"), 2), 1);
}

#[test]
fn two_rules_never_share_a_counter() {
    let house = House::of([
        throttle("one", "user", "1/min").method("GET"),
        throttle("two", "user", "1/min").method("PUT"),
    ]);
    assert_eq!(house.passes(&request("user=a, method=GET"), 2), 1);
    assert_eq!(house.passes(&request("user=a, method=PUT"), 2), 1);
}

#[test]
fn the_tier_of_a_key_is_the_one_that_counts() {
    let house = House::of([throttle("by-tier", "tier", "1/min")]);
    assert_eq!(house.passes(&request("user=a"), 2), 1);
    assert_eq!(house.passes(&request("user=a, tier=free"), 2), 0);
    assert_eq!(house.passes(&request("user=a, tier=premium"), 2), 1);
    assert_eq!(house.passes(&request("user=a, tier=nobody-knows"), 2), 0);
}
