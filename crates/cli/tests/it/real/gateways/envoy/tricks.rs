//! What a client can put into a request, and does not get around its limit by: Envoy lets pass what it gets no
//! answer to, so there must be one.

use serde_json::json;

use super::{bootstrap::header, house::House};

const RULES: &str = r#"
version: 1
rules:
  - { name: user, match: { descriptor: [[user_id]] }, key: [user], limit: 2/day, algorithm: fixed_window }
  - { name: login, match: { endpoint: /login }, key: [], limit: 2/day, algorithm: fixed_window }
"#;

/// The same header in many descriptors, as somebody has it who limits by user and by much else.
fn house() -> House {
    let by = |key: &str| json!({ "actions": [header("x-user", key)] });
    let mut limits = vec![by("user_id"), json!({ "actions": [header(":path", "path")] })];
    limits.extend((0..6).map(|number| by(&format!("more-{number}"))));
    House::new(RULES, json!(limits))
}

#[test]
fn a_name_of_any_length_is_counted() {
    let house = house();
    // As long as Envoy takes.
    let long = "x".repeat(50_000);
    for status in [200, 200, 429, 429] {
        house.get(&[("x-user", &long)]).with(status);
    }
    assert_eq!(house.envoy.stat("cluster.backend.ratelimit.error"), 0);
}

#[test]
fn a_name_that_is_no_text_is_counted() {
    let house = house();
    for status in [200, 200, 429] {
        let mut client = house.client();
        client.write_bytes(b"GET / HTTP/1.1\r\nHost: x\r\nx-user: \xff\xfe\xfd\r\n\r\n");
        let reply = client.read("GET").unwrap();
        assert_eq!(reply.status, status, "{reply:?}");
    }
    assert_eq!(house.envoy.stat("cluster.backend.ratelimit.error"), 0);
}

#[test]
fn a_path_in_another_spelling_is_counted_and_one_without_any_is_denied() {
    let house = house();
    let get = |path: &str| house.client().ask("GET", path, &[], "");
    get("/login").with(200);
    get("/x/../login/?next=%2F").with(200);
    get("/%6cogin;a=b").with(429);
    // To some servers the last ones lead elsewhere, to others they are names.
    for nowhere in [
        "/%zz",
        "/login/..;/a",
        "/login/%2e%2e;x/a",
        "/login/.;",
        "/login/;/../a",
        "//login",
        "//x/login",
        "/login//../a",
        "/login//x/../../a",
    ] {
        let reply = get(nowhere).with(429);
        assert!(reply.header("x-envoy-ratelimited").is_some(), "{reply:?}");
    }
    assert_eq!(house.envoy.stat("cluster.backend.ratelimit.error"), 0);
}
