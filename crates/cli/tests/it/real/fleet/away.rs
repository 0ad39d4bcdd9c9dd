//! Redis goes, and comes back.
// Proves: C6

use rustix::process::Signal;
use serde_json::json;
use tollgate_testkit::{redis::Redis, wait_for};

use super::rig::{Node, RULES};
use crate::common::{Desk, resp::Resp, server::LONG};

#[test]
fn policies_answer_while_redis_is_away_and_say_so() {
    let mut redis = Redis::start();
    let shard = redis.address().to_string();
    let node = Node::ready(&redis.url(), RULES);
    assert_eq!(node.passes("/daily", "alice", 4), 4);
    redis.kill();
    node.until_degraded(&[&shard, "is down", "(closed, local, open)"]);

    let local = node.check("/daily", "bob");
    assert_eq!((local.status, &local.json()["fallback"]), (200, &json!("local")));
    assert_eq!(local.header("tollgate-fallback"), Some("local"));
    let open = node.check("/wide", "bob");
    assert_eq!((open.status, open.header("tollgate-fallback")), (200, Some("open")));
    let closed = node.check("/shut", "bob");
    assert_eq!((closed.status, closed.header("tollgate-fallback")), (429, Some("closed")));
    // What never needed Redis does not miss it.
    let alone = node.check("/alone", "bob");
    assert_eq!((alone.status, alone.header("tollgate-fallback")), (200, None));
    let gateway = node.server.decisions().ask(
        "GET",
        "/gateway/nginx",
        &[("X-Original-URI", "/edge"), ("X-Original-Method", "GET")],
        "",
    );
    assert_eq!((gateway.status, gateway.header("tollgate-fallback")), (204, Some("local")));

    assert!(node.metric("tollgate_fallback_total{policy=\"local\"}") >= 1);
    assert!(node.metric("tollgate_fallback_total{policy=\"closed\"}") >= 1);
    assert_eq!(node.metric(&format!("tollgate_redis_shard_up{{shard=\"{shard}\"}}")), 0);
    let ready = node.server.administration().get("/readyz");
    assert_eq!(ready.status, 200, "{}", ready.body);

    redis.start_again();
    node.until_fine();
    // Redis has forgotten all: of whom nobody has seen it cannot be known what was spent, until somebody tells it.
    wait_for("Redis to decide again", LONG, || {
        let back = node.check("/daily", "carol");
        back.header("tollgate-fallback").is_none().then_some(())
    });
    wait_for("bob's spending to be settled", LONG, || {
        let keys = "/ratelimit/keys?user_id=bob&endpoint=/daily";
        let status = node.server.administration().get(keys).json();
        (status["counters"][0]["remaining"] == 9).then_some(())
    });
    assert!(node.metric("tollgate_redis_settled_units_total") >= 1);
}

/// Whoever changes counters is told that nothing was changed; that is no decision, so no policy answers.
#[test]
fn what_is_not_done_is_told() {
    let mut redis = Redis::start();
    let node = Node::ready(&redis.url(), RULES);
    redis.kill();
    node.until_degraded(&["is down"]);
    let facts = json!({ "user_id": "alice", "endpoint": "/daily" });
    let refund = json!({ "user_id": "alice", "endpoint": "/daily", "cost": 1 });
    for (path, body, words) in [
        ("/ratelimit/reset", &facts, "the counters were not reset"),
        ("/ratelimit/refund", &refund, "the counters were not refunded"),
    ] {
        let reply = node.server.decisions().post(path, body);
        assert_eq!(reply.status, 503, "{}", reply.body);
        assert!(reply.body.contains(words), "{}", reply.body);
        assert_eq!(reply.header("content-type"), Some("application/problem+json"));
    }
    let mut resp = Resp::to(node.server.resp);
    let refused = resp.ask(&["TG.RESET", "user_id", "alice", "endpoint", "/daily"]);
    assert!(refused.starts_with("-UNAVAILABLE the counters were not reset"), "{refused}");
    let keys = "/ratelimit/keys?user_id=alice&endpoint=/daily";
    let reset = node.server.administration().ask("DELETE", keys, &[], "");
    assert_eq!(reset.status, 503, "{}", reset.body);
    assert!(reset.body.contains("the counters were not reset"), "{}", reset.body);
    // To look is to hear what a policy would answer, and that it would.
    let peek = node.server.decisions().post("/ratelimit/peek", &facts);
    assert_eq!(peek.json()["fallback"], "local");
    let looked = node.server.administration().get(keys).json();
    assert_eq!(looked["fallback"], "local", "{looked}");
    // The answer of a decision is as it always is: its shape has no room for more.
    let check = resp.ask(&["TG.CHECK", "user_id", "alice", "endpoint", "/daily"]);
    assert!(check.starts_with("*6\r\n:1\r\n:10\r\n"), "{check}");
}

#[test]
fn a_server_starts_without_redis_and_finds_it_later() {
    let mut redis = Redis::start();
    redis.kill();
    let node = Node::start(&redis.url(), RULES);
    let degraded = node.server.announcement["degraded"].to_string();
    assert!(degraded.contains("redis") && degraded.contains("on_failure answers"), "{degraded}");
    assert_eq!(node.check("/daily", "alice").header("tollgate-fallback"), Some("local"));
    assert_eq!(node.check("/shut", "alice").status, 429);
    redis.start_again();
    node.until_fine();
    assert_eq!(node.check("/shut", "alice").header("tollgate-fallback"), None);
    assert_eq!(node.check("/shut", "alice").status, 200);
}

/// What was spent without Redis is told to it before the server ends.
#[test]
fn a_server_that_stops_settles_first() {
    let mut redis = Redis::start();
    // Longer than Redis takes to start.
    let node = Node::with(&redis.url(), RULES, &["--drain-timeout", "60s"]);
    node.until_fine();
    redis.kill();
    node.until_degraded(&["is down"]);
    assert_eq!(node.passes("/daily", "alice", 3), 3);
    node.server.signal(Signal::TERM);
    redis.start_again();
    let Node { server, desk, .. } = node;
    let (status, log) = server.stop();
    assert!(status.success(), "{status}: {log}");
    let other = Node::ready(&redis.url(), RULES);
    assert_eq!(other.passes("/daily", "alice", 12), 7, "{log}");
    drop::<Desk>(desk);
}
