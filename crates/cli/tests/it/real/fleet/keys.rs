//! Counters looked at and made fresh from the command line.
// Proves: C2, C3

use tollgate_testkit::redis::Redis;

use super::rig::{Node, RULES};
use crate::common::{Ran, resp::Resp};

impl Node {
    /// Runs a command about counters against this node.
    fn keys(&self, line: &str) -> Ran {
        let admin = self.server.admin.to_string();
        self.desk.line(&format!("keys {line} --admin {admin}"))
    }
}

#[test]
fn counters_of_a_fleet_are_shown_and_reset_on_any_node() {
    let redis = Redis::start();
    let [one, two] = [(), ()].map(|()| Node::ready(&redis.url(), RULES));
    assert_eq!(one.passes("/daily", "alice", 11), 10);
    let facts = "user_id=alice endpoint=/daily";
    two.keys(&format!("show {facts}"))
        .fine()
        .says("daily [user=alice]: 10 of 10 per day used, 0 left, resets in ")
        .says("counted exactly, for all nodes together; the next request is denied for ")
        .says("counters are shared through Redis");
    let json = two.keys(&format!("show {facts} --json")).fine().json();
    assert_eq!(json["counters"][0]["key"], "user=alice", "{json}");
    assert_eq!(json["counters"][0]["remaining"], 0, "{json}");
    two.keys(&format!("reset {facts} --rule daily")).fine().says(
        "reset daily [user=alice]: 10 of 10 per day left, counted exactly, for all nodes together",
    );
    assert_eq!(one.passes("/daily", "alice", 11), 10);
    let json = one.keys(&format!("reset {facts} --json")).fine().json();
    assert_eq!(json["counters"][0]["remaining"], 10, "{json}");
    assert_eq!(two.passes("/daily", "alice", 1), 1);
}

#[test]
fn what_is_asked_wrong_is_told_with_what_would_be_right() {
    let redis = Redis::start();
    let node = Node::ready(&redis.url(), RULES);
    node.keys("show user_id=alice").fine().says("no rule counts");
    node.keys("reset user_id=alice")
        .with(1)
        .says("nothing was reset: no rule counts a request with these facts");
    node.keys("show user_id=alice --rule dayly")
        .with(1)
        .says("answered 404")
        .says("`tollgate explain` shows");
    node.keys("show user=alice").fine().says("no rule counts");
    node.keys("show usr_id=alice").with(1).says("did you mean user_id?");
    node.keys("reset user_id=alice cost=3")
        .with(1)
        .says("cost says nothing about which counters a request has: leave it out");
    node.keys("show").with(1).says("FIELD=VALUE");
    // What a query cannot carry as it is arrives all the same.
    let odd = "a&b=%2F+ä";
    let shown = node.keys(&format!("show user_id={odd} endpoint=/daily"));
    shown.fine().says(&format!("daily [user={odd}]: 0 of 10"));
    node.desk
        .line("keys show user_id=alice --admin 127.0.0.1:1")
        .with(1)
        .says("is `tollgate serve` running?");
}

#[test]
fn while_redis_is_away_the_policy_is_named_and_nothing_is_reset() {
    let mut redis = Redis::start();
    let node = Node::ready(&redis.url(), RULES);
    redis.kill();
    node.until_degraded(&["is down"]);
    node.keys("show user_id=alice endpoint=/daily")
        .fine()
        .says("these are the numbers of on_failure: local; `tollgate doctor` says what");
    let refused = node.keys("reset user_id=alice endpoint=/daily --json").with(1);
    let error = refused.json()["error"].to_string();
    assert!(error.contains("the counters were not reset"), "{error}");
}

// Proves: C4
#[test]
fn the_busiest_keys_are_told_with_their_errors() {
    let redis = Redis::start();
    let node = Node::ready(&redis.url(), RULES);
    let mut resp = Resp::to(node.server.resp);
    let asked = |user: &str, times: usize| {
        Resp::command(&["TG.CHECK", "user_id", user, "endpoint", "/alone"]).repeat(times)
    };
    for round in 0..20 {
        resp.write((asked("busy", 500) + &asked(&format!("rare-{round}"), 20)).as_bytes());
        resp.lines(520 * 8);
    }
    node.keys("hot --limit 1")
        .fine()
        .says("   1. ")
        .says(" requests, give or take ")
        .says(": alone [user=busy]\n")
        .says("estimated from one decision in 64");
    let json = node.keys("hot --json").fine().json();
    let first = &json["keys"][0];
    assert_eq!((&first["rule"], &first["key"]), (&"alone".into(), &"user=busy".into()), "{json}");
    let (count, error) = (first["count"].as_u64().unwrap(), first["error"].as_u64().unwrap());
    // The stated error is of two deviations; five are never seen.
    assert!(count.abs_diff(10_000) <= error * 5 / 2, "{json}");
    assert_eq!(node.metric("tollgate_hot_key_requests{rank=\"1\"}"), count);
    assert_eq!(node.metric("tollgate_hot_key_error{rank=\"1\"}"), error);
    node.keys("hot --limit 0").with(1).says("1..=1000");
    let one = node.keys("hot --limit 1 --json").fine().json();
    assert_eq!(one["keys"].as_array().unwrap().len(), 1, "{one}");
}
