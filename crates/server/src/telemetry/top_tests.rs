//! Hot keys are found among many, by rule and key.
// Proves: C4

use tollgate_core::{Micros, Timestamp};
use tollgate_rules::{Directory, Query, RuleSet, Snapshot};

use super::*;

const RULES: &str = "
version: 1
rules:
  - { name: per-user, match: { endpoint: /a }, key: [user], limits: [10/s, 1000/h] }
  - { name: per-net, match: { endpoint: /b }, key: [ip, method, attributes.plan], limit: 10/s }
  - { name: total, match: { endpoint: /c }, key: [], limit: 10/s }
";

fn snapshot() -> Snapshot {
    let rules: RuleSet = RULES.parse().unwrap();
    Snapshot::compile(&rules, 1)
}

fn looks(top: &TopKeys, snapshot: &Snapshot, query: &Query<'_>, at: Timestamp) {
    let plan = snapshot.plan(query, &Directory::new(), Timestamp::EPOCH);
    top.looks(&plan, at);
}

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_secs(1_000 + seconds)
}

#[test]
fn keys_are_told_by_rule_and_in_words() {
    let (top, snapshot) = (TopKeys::default(), snapshot());
    let alice = Query::new().user("alice").unwrap().endpoint("/a").unwrap();
    let net = Query::new().endpoint("/b").unwrap().method("GET").unwrap();
    let net = net.ip("10.0.0.7").unwrap().attribute("plan", "trial").unwrap();
    let total = Query::new().endpoint("/c").unwrap();
    for _ in 0..3 {
        looks(&top, &snapshot, &alice, at(0));
    }
    looks(&top, &snapshot, &net, at(1));
    looks(&top, &snapshot, &total, at(1));
    let list = top.list_at(10, at(2));
    let told: Vec<_> =
        list.keys.iter().map(|hot| (hot.rule.as_str(), hot.key.as_str(), hot.requests)).collect();
    assert_eq!(
        told,
        [
            ("per-user", "user=alice", 192), // once for both of its limits
            ("per-net", "ip=10.0.0.7, method=GET, attributes.plan=trial", 64),
            ("total", "(everyone)", 64),
        ]
    );
    assert_eq!(list.span, Micros::from_secs(2));
    assert_eq!(top.list_at(1, at(2)).keys.len(), 1);
}

#[test]
fn what_is_long_ago_is_forgotten() {
    let (top, snapshot) = (TopKeys::default(), snapshot());
    let ask = |user: &str, when: u64| {
        let query = Query::new().user(user).unwrap().endpoint("/a").unwrap();
        looks(&top, &snapshot, &query, at(when));
    };
    let named = |when: u64| {
        let keys = top.list_at(10, at(when)).keys;
        keys.into_iter().map(|hot| hot.key).collect::<Vec<_>>()
    };
    ask("early", 0);
    ask("later", 70);
    assert_eq!(named(100), ["user=early", "user=later"]);
    assert_eq!(named(140), ["user=later"]);
    assert_eq!(named(1_000), [""; 0]);
}

#[test]
fn one_in_so_many_is_looked_at() {
    let sampled = (0..640_000).filter(|_| is_sampled()).count();
    assert!((9_000..11_000).contains(&sampled), "{sampled} of 640,000");
}

#[test]
fn a_long_key_is_cut() {
    let (top, snapshot) = (TopKeys::default(), snapshot());
    let user = "é".repeat(400);
    let query = Query::new().user(&user).unwrap().endpoint("/a").unwrap();
    looks(&top, &snapshot, &query, at(0));
    assert_eq!(top.list_at(1, at(0)).keys[0].key.chars().count(), TopKeys::KEY_CHARS_MAX);
}
