//! 12.5 and 12.7: which numbers are shown, and what a burst is.

use std::time::Duration;

use tollgate_core::{Cost, LimitError};

use super::words::{House, Said as _, request, throttle};

#[test]
fn denied_shows_the_failing_charge_with_the_longest_wait() {
    let house = House::of([
        throttle("a-minute", "user", "2/min fixed_window"),
        throttle("b-hour", "user", "2/h fixed_window"),
        throttle("c-second", "user", "1000/s fixed_window"),
    ]);
    let alice = request("user=alice");
    assert_eq!(house.passes(&alice, 2), 2);
    let (rule, shown) = house.shown(&alice);
    assert_eq!(rule, "b-hour");
    assert_eq!((shown.limit(), shown.remaining()), (2, 0));
    assert_eq!(shown.retry_after(), Some(Duration::from_secs(3_600)));
}

#[test]
fn allowed_shows_the_smallest_share_left_and_ties_go_by_walk_order() {
    let house =
        House::of([throttle("wide", "user", "100/min"), throttle("narrow", "user", "10/min")]);
    let (rule, shown) = house.shown(&request("user=alice"));
    assert_eq!((rule.as_str(), shown.remaining()), ("narrow", 9));
    let first = throttle("z-first", "user", "10/min").priority(1);
    let house = House::of([first, throttle("a-second", "user", "10/min")]);
    assert_eq!(house.shown(&request("user=alice")).0, "z-first");
}

#[test]
fn a_denied_request_is_charged_on_no_limit() {
    let house = House::of([
        throttle("narrow", "user", "1/min").endpoint("/login"),
        throttle("wide", "user", "3/min"),
    ]);
    assert_eq!(house.passes(&request("user=a, endpoint=/login"), 10), 1);
    assert_eq!(house.passes(&request("user=a, endpoint=/"), 10), 2);
}

#[test]
fn the_limits_of_one_rule_are_met_in_the_order_they_are_written() {
    let house = House::of([throttle("many", "user", "5/min, 2/s, 9/h")]);
    let expected = ["many 5/min", "many 2/s", "many 9/h"];
    assert_eq!(house.meets(&request("user=a")), expected);
}

#[test]
fn the_rules_cost_times_the_callers() {
    let rule = throttle("by-size", "user", "10/min")
        .counted(|throttle| throttle.cost = "attributes.bytes / 1024".parse().unwrap());
    let house = House::of([rule]);
    // Three kilobytes, rounded up; twice; and one that has no size.
    assert_eq!(house.shown(&request("user=a, bytes=2049")).1.remaining(), 7);
    let twice = request("user=a, bytes=2049").cost(Cost::new(2));
    assert_eq!(house.shown(&twice).1.remaining(), 1);
    assert_eq!(house.shown(&request("user=a, bytes=many")).1.remaining(), 0);
}

#[test]
fn a_burst_needs_a_bucket() {
    let window: tollgate_core::Limit = "5/min".parse().unwrap();
    for name in ["sliding_window", "fixed_window", "sliding_log"] {
        let window = window.clone().with_algorithm(name.parse().unwrap()).unwrap();
        let refused = window.with_burst(3);
        assert!(matches!(refused, Err(LimitError::BurstOnWindow { .. })), "{name}");
    }
    let bucket = window.with_burst(3).unwrap();
    assert_eq!(bucket.algorithm().as_str(), "token_bucket");
}

#[test]
fn a_token_buckets_capacity_is_its_burst_and_without_one_its_amount() {
    let house = House::of([
        throttle("burst", "user", "60/min burst 3").method("GET"),
        throttle("plain", "user", "60/min token_bucket").method("PUT"),
    ]);
    assert_eq!(house.passes(&request("user=a, method=GET"), 100), 3);
    assert_eq!(house.passes(&request("user=a, method=PUT"), 100), 60);
}

#[test]
fn a_leaky_bucket_admits_one_and_queues_its_burst() {
    let house = House::of([
        throttle("none", "user", "60/min leaky_bucket").method("GET"),
        throttle("queue", "user", "60/min leaky_bucket burst 2").method("PUT"),
    ]);
    assert_eq!(house.passes(&request("user=a, method=GET"), 10), 1);
    let put = request("user=a, method=PUT");
    let delays = (0..3).map(|_| house.shown(&put).1.delay().as_secs());
    assert_eq!(delays.collect::<Vec<u64>>(), [0, 1, 2]);
    assert_eq!(house.passes(&put, 10), 0);
}
