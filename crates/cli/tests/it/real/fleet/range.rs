//! Limits that Redis cannot count exactly.

use serde_json::json;
use tollgate_testkit::{redis::Redis, wait_for};

use super::rig::{Node, RULES};
use crate::{
    common::{Desk, server::LONG},
    redis_settings::{HUGE, with_huge},
};

#[test]
fn the_last_good_rules_stay() {
    let redis = Redis::start();
    let node = Node::ready(&redis.url(), RULES);
    node.desk.write("rules.yaml", &with_huge(""));
    node.until_degraded(&["rules.yaml:10:", "cannot be counted exactly in Redis"]);
    assert_eq!(node.passes("/daily", "alice", 11), 10);
    node.desk.write("rules.yaml", RULES);
    node.until_fine();
}

#[test]
fn the_admin_side_refuses_them() {
    let redis = Redis::start();
    let desk = Desk::new();
    let server = desk.serve(&["--redis", &redis.url()]);
    let mut admin = server.administration();
    let rule = |limit: &str| json!({ "name": "huge", "key": ["user"], "missing": "shared", "limit": limit });
    let refused = admin.post("/ratelimit/rules", &rule(HUGE));
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert!(refused.body.contains("cannot be counted exactly in Redis"), "{}", refused.body);
    assert_eq!(refused.json()["errors"][0]["path"], "limit");
    let made = admin.post("/ratelimit/rules?wait=30s", &rule("10/day"));
    assert_eq!(made.status, 201, "{}", made.body);
    let tier = json!({ "rank": 9, "default": HUGE });
    let headers = [("If-None-Match", "*")];
    let refused = admin.send("PUT", "/ratelimit/tiers/gold", &headers, &tier);
    assert_eq!(refused.status, 422, "{}", refused.body);
    let exception = json!({ "rule": "huge", "key": { "user": "acme" }, "limit": HUGE });
    let refused = admin.post("/ratelimit/overrides", &exception);
    assert_eq!(refused.status, 422, "{}", refused.body);
    // Written past the server, it is kept out of force, and said so.
    desk.write("huge.yaml", &with_huge(""));
    desk.line("rules apply huge.yaml").fine();
    wait_for("a server that says what it keeps out", LONG, || {
        let ready = server.decisions().get("/readyz").json();
        let degraded = ready["degraded"].to_string();
        degraded.contains("cannot be counted in Redis").then_some(())
    });
    let check = json!({ "user_id": "alice" });
    let answer = server.decisions().post("/ratelimit/check", &check).json();
    assert_eq!(answer["limit"], 10, "{answer}");
}
