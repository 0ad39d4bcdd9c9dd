//! What a client of Envoy sees: the backend's answer, or a 429 that says when to come again.

use serde_json::json;
use tollgate_testkit::BACKEND_SAYS;

use super::{
    bootstrap::header,
    house::{House, Plan},
};

const RULES: &str = r#"
version: 1
rules:
  - name: per-caller
    match: { descriptor: [[user_id]] }
    key: [user]
    limit: 2/day
    algorithm: fixed_window
    response: { message: "two a day, and not one more", retry_after: 30 }
"#;

fn by_user() -> serde_json::Value {
    json!([{ "actions": [header("x-user", "user_id")] }])
}

#[test]
fn who_is_within_the_limit_reaches_the_backend_and_who_is_not_gets_a_429() {
    let house = House::new(RULES, by_user());
    let ann = [("x-user", "ann")];
    for left in ["1", "0"] {
        let reply = house.get(&ann).with(200);
        assert_eq!(reply.body, BACKEND_SAYS);
        assert_eq!(reply.header("x-ratelimit-limit"), Some("2, 2;w=86400;name=\"per-caller\""));
        assert_eq!(reply.header("x-ratelimit-remaining"), Some(left));
        assert!(reply.header("retry-after").is_none());
    }
    let reply = house.get(&ann).with(429);
    assert_eq!(reply.body, "two a day, and not one more");
    assert_eq!(reply.header("x-envoy-ratelimited"), Some("true"));
    assert_eq!(reply.header("x-ratelimit-limit"), Some("2, 2;w=86400;name=\"per-caller\""));
    assert_eq!(reply.header("x-ratelimit-remaining"), Some("0"));
    let reset: u64 = reply.header("x-ratelimit-reset").unwrap().parse().unwrap();
    let retry: u64 = reply.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=86_400).contains(&reset), "{reset}");
    assert!((30..=86_401).contains(&retry), "{retry}");
    assert!(retry >= reset, "{retry} {reset}");
    // Somebody else, and somebody who is nobody: no header, no descriptor, no question.
    house.get(&[("x-user", "bob")]).with(200);
    house.get(&[]).with(200);
    assert_eq!(house.arrived(), 4, "who is denied never reaches it");
    assert_eq!(house.envoy.stat("cluster.backend.ratelimit.over_limit"), 1);
    assert_eq!(house.envoy.stat("cluster.backend.ratelimit.ok"), 3);
    assert_eq!(house.envoy.stat("cluster.backend.ratelimit.error"), 0);
}

/// Envoy writes none of its own here; both of ours come, and each once.
#[test]
fn our_own_header_fields_come_when_they_are_asked_for() {
    let plan = Plan {
        rules: Some(RULES),
        flags: &["--envoy-fields", "both"],
        rate_limits: by_user(),
        ..Plan::default()
    };
    let house = plan.build();
    let ann = [("x-user", "ann")];
    let reply = house.get(&ann).with(200);
    assert_eq!(reply.header("x-ratelimit-limit"), Some("2"));
    assert_eq!(reply.header("x-ratelimit-remaining"), Some("1"));
    assert_eq!(reply.header("ratelimit-policy"), Some("\"per-caller\";q=2;w=86400"));
    let told = reply.header("ratelimit").unwrap();
    assert!(told.starts_with("\"per-caller\";r=1;t="), "{told}");
    house.get(&ann).with(200);
    let reply = house.get(&ann).with(429);
    assert_eq!(reply.header("x-ratelimit-remaining"), Some("0"));
    let told = reply.header("ratelimit").unwrap();
    assert!(told.starts_with("\"per-caller\";r=0;t="), "{told}");
    assert!(reply.header("retry-after").is_some());
}

#[test]
fn neither_of_our_header_fields_comes_by_itself() {
    let plan = Plan { rules: Some(RULES), rate_limits: by_user(), ..Plan::default() };
    let house = plan.build();
    let reply = house.get(&[("x-user", "ann")]).with(200);
    for name in ["x-ratelimit-limit", "ratelimit", "ratelimit-policy", "retry-after"] {
        assert!(reply.header(name).is_none(), "{name}: {reply:?}");
    }
}

/// A block is a denial without a wait.
#[test]
fn who_is_blocked_gets_no_time_to_come_again() {
    let rules = r#"
version: 1
rules:
  - { name: banned, match: { descriptor: [[user_id, mallory]] }, action: block, response: { message: go away } }
"#;
    let house = House::new(rules, by_user());
    let reply = house.get(&[("x-user", "mallory")]).with(429);
    assert_eq!(reply.body, "go away");
    assert!(reply.header("retry-after").is_none(), "{reply:?}");
    house.get(&[("x-user", "ann")]).with(200);
    assert_eq!(house.arrived(), 1);
}
