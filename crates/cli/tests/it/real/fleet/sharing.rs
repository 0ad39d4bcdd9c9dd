//! One limit for all nodes, whatever protocol asks.
// Proves: C2, C3

use std::net::TcpStream;

use serde_json::json;
use tollgate_testkit::{redis::Redis, wait_for};

use super::rig::{Node, RULES};
use crate::common::{grpc, resp::Resp, server::LONG};

#[test]
fn two_nodes_share_a_limit() {
    let redis = Redis::start();
    let [one, two] = [(), ()].map(|()| Node::ready(&redis.url(), RULES));
    for endpoint in ["/daily", "/leased", "/shut", "/wide"] {
        assert_eq!(one.passes(endpoint, "alice", 6), 6, "{endpoint}");
        // What the first node holds of a leased limit comes back, for one of them.
        let mut passed = two.passes(endpoint, "alice", 6);
        wait_for("all of a limit", LONG, || {
            passed += two.passes(endpoint, "alice", 1);
            (passed >= 4).then_some(())
        });
        assert_eq!(passed, 4, "{endpoint}");
        assert_eq!(one.passes(endpoint, "alice", 1), 0, "{endpoint}");
    }
    // What is local stays so.
    for node in [&one, &two] {
        assert_eq!(node.passes("/alone", "alice", 12), 10);
        let reply = node.check("/daily", "bob");
        assert_eq!(reply.header("tollgate-fallback"), None);
        assert_eq!(reply.json()["fallback"], json!(null));
        assert_eq!(node.metric("tollgate_fallback_total{policy=\"local\"}"), 0);
        wait_for("two nodes that know of each other", LONG, || {
            (node.metric("tollgate_live_nodes") == 2).then_some(())
        });
    }
    assert!(one.metric("tollgate_redis_decisions_total") >= 10);
    assert_eq!(one.metric(&format!("tollgate_redis_shard_up{{shard=\"{}\"}}", redis.address())), 1);
}

#[test]
fn all_protocols_share_it_too() {
    let redis = Redis::start();
    let [one, two] = [(), ()].map(|()| Node::ready(&redis.url(), RULES));
    let ask = |node: &Node| {
        let mut resp = Resp::to(node.server.resp);
        resp.ask(&["TG.CHECK", "user_id", "alice", "endpoint", "/daily"])
    };
    assert_eq!(one.passes("/daily", "alice", 8), 8);
    assert!(ask(&two).starts_with("*6\r\n:1\r\n:10\r\n:1\r\n"));
    assert!(ask(&one).starts_with("*6\r\n:1\r\n:10\r\n:0\r\n"));
    assert!(ask(&two).starts_with("*6\r\n:0\r\n:10\r\n:0\r\n"));
    // The same counter by Envoy's protocol, which names users by its own word.
    let rules = "version: 1\nrules: [{ name: all, key: [user], limit: 5/day }]";
    let [three, four] = [(), ()].map(|()| Node::ready(&redis.url(), rules));
    let envoy = |node: &Node| grpc::asks(TcpStream::connect(node.server.grpc).unwrap(), "carol");
    let passed = [&three, &four, &three, &four].map(envoy);
    assert_eq!(passed, [true; 4]);
    assert_eq!(three.passes("/", "carol", 2), 1);
    assert!(!envoy(&four));
}

/// A buffer full of checks is decided together, and answered in order.
#[test]
fn pipelined_checks_keep_their_order() {
    let redis = Redis::start();
    let node = Node::ready(&redis.url(), RULES);
    let mut resp = Resp::to(node.server.resp);
    let check = |user: &str| Resp::command(&["TG.CHECK", "user_id", user, "endpoint", "/daily"]);
    let users: Vec<String> = (0..100).map(|place| format!("user-{}", place % 4)).collect();
    let all: String = users.iter().map(|user| check(user)).collect();
    resp.write(all.as_bytes());
    let mut passed = [0; 4];
    for place in 0..users.len() {
        let answer = resp.lines(8);
        let is_allowed = answer[1] == ":1";
        let before = passed[place % 4];
        assert_eq!(is_allowed, before < 10, "answer {place}: {answer:?}");
        if is_allowed {
            passed[place % 4] += 1;
            assert_eq!(answer[3], format!(":{}", 9 - before), "answer {place}");
        }
    }
    assert_eq!(passed, [10; 4]);
    // Decisions travel together: far fewer scripts than decisions.
    let (calls, decisions) =
        (node.metric("tollgate_redis_calls_total"), node.metric("tollgate_redis_decisions_total"));
    assert!(decisions >= 100 && calls < 60, "{decisions} decisions in {calls} calls");
}

#[test]
fn a_batch_is_decided_with_all_its_names() {
    let redis = Redis::start();
    let node = Node::ready(&redis.url(), RULES);
    let one = |id: &str| json!({ "user_id": "alice", "endpoint": "/daily", "request_id": id });
    let batch = json!({ "requests": [one("a"), one("b"), one("a"), one("c"), one("b")] });
    let answer = node.server.decisions().post("/ratelimit/check/batch", &batch).json();
    let results = answer["results"].as_array().unwrap();
    let ids: Vec<&str> = results.iter().map(|it| it["decision_id"].as_str().unwrap()).collect();
    assert_eq!((ids[0], ids[1]), (ids[2], ids[4]), "asked again: {answer}");
    assert!(ids[0] != ids[1] && ids[1] != ids[3], "{answer}");
    assert_eq!(node.check("/daily", "alice").json()["remaining"], 6, "three were charged");
}

#[test]
fn a_reset_on_one_node_is_seen_on_the_other() {
    let redis = Redis::start();
    let [one, two] = [(), ()].map(|()| Node::ready(&redis.url(), RULES));
    assert_eq!(one.passes("/daily", "alice", 11), 10);
    assert_eq!(two.passes("/daily", "alice", 1), 0);
    let facts = json!({ "user_id": "alice", "endpoint": "/daily" });
    let reset = one.server.decisions().post("/ratelimit/reset", &facts);
    assert_eq!((reset.status, &reset.json()["remaining"]), (200, &json!(10)));
    assert_eq!(two.passes("/daily", "alice", 3), 3);
    let refund = json!({ "user_id": "alice", "endpoint": "/daily", "cost": 2 });
    let refunded = one.server.decisions().post("/ratelimit/refund", &refund);
    assert_eq!(refunded.json()["remaining"], 9);
    let mut resp = Resp::to(two.server.resp);
    let peek = resp.ask(&["TG.PEEK", "user_id", "alice", "endpoint", "/daily"]);
    assert!(peek.starts_with("*6\r\n:1\r\n:10\r\n:8\r\n"), "{peek}");
    let status = two.server.administration().get("/ratelimit/keys?user_id=alice&endpoint=/daily");
    let status = status.json();
    assert_eq!(status["counters"][0]["remaining"], 9, "{status}");
    assert_eq!(status["counters"][0]["counted"], "exactly, for all nodes together");
    let story = two.server.administration().post("/ratelimit/explain", &facts).json();
    let consistency = story["consistency"].as_str().unwrap();
    assert!(consistency.ends_with("; daily 10/day: exact"), "{consistency}");
    drop(one.desk);
}
