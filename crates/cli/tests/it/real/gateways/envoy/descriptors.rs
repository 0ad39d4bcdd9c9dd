//! What Envoy sends: several descriptors, addends, limits of its own.

use serde_json::{Value, json};

use super::{
    bootstrap::{Lists, always, header},
    house::{House, Plan},
};

const RULES: &str = r#"
version: 1
rules:
  - { name: acme, match: { descriptor: [[org_id, acme], [user_id]] }, key: [org, user], limit: 3/day, algorithm: fixed_window, group: pair }
  - { name: pair, match: { descriptor: [[org_id], [user_id]] }, key: [org, user], limit: 2/day, algorithm: fixed_window, group: pair }
  - { name: org, match: { descriptor: [[org_id]] }, key: [org], limit: 5/day, algorithm: fixed_window }
"#;

fn pair() -> Value {
    json!([
        { "actions": [header("x-org", "org_id"), header("x-user", "user_id")] },
        { "actions": [header("x-org", "org_id")] },
    ])
}

/// Envoy shows the status with the fewest left, and lists the limits in the order of the descriptors.
#[test]
fn every_descriptor_counts_and_a_narrow_denial_burns_nothing_of_the_broad_limit() {
    let house = House::new(RULES, pair());
    let get = |org: &str, user: &str| house.get(&[("x-org", org), ("x-user", user)]);
    let narrow = |limit: &str, name: &str| {
        format!("{limit}, {limit};w=86400;name=\"{name}\", 5;w=86400;name=\"org\"")
    };
    for left in ["1", "0"] {
        let reply = get("umbrella", "ann").with(200);
        assert_eq!(reply.header("x-ratelimit-remaining"), Some(left));
        assert_eq!(reply.header("x-ratelimit-limit"), Some(&*narrow("2", "pair")));
    }
    for _ in 0..10 {
        let reply = get("umbrella", "ann").with(429);
        assert_eq!(reply.header("x-ratelimit-limit"), Some(&*narrow("2", "pair")));
    }
    // Of the organisation's five two are gone, not twelve.
    get("umbrella", "bob").with(200);
    get("umbrella", "bob").with(200);
    let reply = get("umbrella", "eve").with(200);
    assert_eq!(reply.header("x-ratelimit-remaining"), Some("0"), "of the organisation");
    let reply = get("umbrella", "eve").with(429);
    assert!(reply.header("x-ratelimit-limit").unwrap().starts_with("5, 2;w="), "{reply:?}");
    // And of eve's two one is left, whatever the organisation said.
    let alone = house.get(&[("x-org", "umbrella")]).with(429);
    assert_eq!(alone.header("x-ratelimit-limit"), Some("5, 5;w=86400;name=\"org\""));

    // A key with its value comes before the key alone.
    for _ in 0..3 {
        get("acme", "ann").with(200);
    }
    let reply = get("acme", "ann").with(429);
    assert_eq!(reply.header("x-ratelimit-limit"), Some(&*narrow("3", "acme")));
}

/// The same entries in another order, or one more, are something else.
#[test]
fn entries_match_in_their_order_and_none_may_be_left_over() {
    let limits = json!([
        { "actions": [header("x-a", "org_id"), header("x-b", "user_id")] },
        { "actions": [header("x-c", "user_id"), header("x-d", "org_id")] },
        { "actions": [header("x-e", "org_id"), header("x-f", "user_id"), always("more", "yes")] },
        { "actions": [header("x-g", "user_id")] },
    ]);
    let house = House::new(RULES, limits);
    let limited = |headers: &[(&str, &str)]| {
        let reply = house.get(headers).with(200);
        reply.header("x-ratelimit-limit").is_some()
    };
    assert!(limited(&[("x-a", "umbrella"), ("x-b", "ann")]));
    assert!(!limited(&[("x-c", "ann"), ("x-d", "umbrella")]), "in the wrong order");
    assert!(!limited(&[("x-e", "umbrella"), ("x-f", "ann")]), "too deep");
    assert!(!limited(&[("x-g", "ann")]), "not deep enough");
}

/// A house whose organisations weigh what this says.
fn weighing(addend: &Value) -> House {
    let plan = Plan {
        rules: Some(RULES),
        rate_limits: json!([{ "actions": [header("x-org", "org_id")], "hits_addend": addend }]),
        lists: Lists::Filter,
        ..Plan::with_headers()
    };
    plan.build()
}

#[test]
fn a_request_weighs_what_envoy_says() {
    let house = weighing(&json!({ "number": 2 }));
    let get = || house.get(&[("x-org", "umbrella")]);
    for left in ["3", "1"] {
        assert_eq!(get().with(200).header("x-ratelimit-remaining"), Some(left));
    }
    // Two do not fit into one, and what does not fit is not booked.
    get().with(429);
    get().with(429);

    let house = weighing(&json!({ "format": "%REQ(x-weight)%" }));
    let get = |weight: &str| house.get(&[("x-org", "umbrella"), ("x-weight", weight)]);
    let left = |weight: &str| -> u64 {
        let reply = get(weight).with(200);
        reply.header("x-ratelimit-remaining").unwrap().parse().unwrap()
    };
    assert_eq!(left("4"), 1);
    get("2").with(429);
    // Nothing is only a question.
    for _ in 0..3 {
        assert_eq!(left("0"), 1);
    }
    assert_eq!(left("1"), 0);
    get("0").with(429);
}

/// Envoy's own limit for a route stands in the place of the rules' limit, with a counter of its own.
#[test]
fn a_limit_of_envoys_own_takes_the_place_of_the_rules() {
    let limits = json!([{
        "actions": [header("x-org", "org_id")],
        "limit": { "dynamic_metadata": {
            "metadata_key": { "key": "limits", "path": [{ "key": "org" }] },
        } },
    }]);
    let plan = Plan {
        rules: Some(RULES),
        rate_limits: limits,
        metadata: json!({ "limits": { "org": { "requests_per_unit": 1, "unit": "HOUR" } } }),
        ..Plan::with_headers()
    };
    let house = plan.build();
    let reply = house.get(&[("x-org", "umbrella")]).with(200);
    let limit = reply.header("x-ratelimit-limit").unwrap();
    assert!(limit.starts_with("1, 1;w=3600"), "{limit}");
    house.get(&[("x-org", "umbrella")]).with(429);
    house.get(&[("x-org", "other")]).with(200);
}
