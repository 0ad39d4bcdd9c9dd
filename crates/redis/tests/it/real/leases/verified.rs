//! Somebody deletes a counter behind its back: then more is admitted than the limit allows, and it is noticed.
// Proves: C3

use std::time::Duration;

use tollgate_core::{Action, AlgorithmName, Charge, Cost, CounterKey, Limit, RuleId, Store as _};
use tollgate_redis::Leases;
use tollgate_testkit::redis::Redis;

use super::fleet::{LONG, Node, patient_pair};

async fn passes(node: &Node, user: &str, limit: &Limit) -> bool {
    let key = CounterKey::new(RuleId::new(7), user.as_bytes());
    let verdict = node.charge(&[Charge::new(key, limit, Cost::ONE)]).await;
    let verdict = verdict.unwrap();
    assert_eq!(verdict.fallback(), None);
    verdict.is_allowed()
}

/// So many users whose counters are of the sample. Each of them was asked for once, at the first node.
async fn sampled<const N: usize>(nodes: &[Node], limit: &Limit) -> [String; N] {
    let node = nodes.first().unwrap();
    let mut number = 0;
    let mut users = [(); N].map(|()| String::new());
    for (found, user) in (0..).zip(&mut users) {
        while node.stats().leases.verified == found {
            number += 1;
            assert!(number < 10_000, "nobody is of the sample");
            *user = format!("u{number}");
            assert!(passes(node, user, limit).await);
        }
    }
    users
}

/// How many of so many requests pass, in turn on all nodes.
async fn passed(nodes: &[Node], user: &str, limit: &Limit, requests: usize) -> u64 {
    let mut passed = 0;
    for node in nodes.iter().cycle().take(requests) {
        passed += u64::from(passes(node, user, limit).await);
    }
    passed
}

fn overshoot(nodes: &[Node]) -> u64 {
    nodes.iter().map(|node| node.stats().leases.overshoot).sum()
}

/// The sums of a counter, once all nodes have told.
async fn until_told(redis: &Redis, user: &str, units: u64) {
    let told = || {
        let keys = redis.ask(&["KEYS", &format!("*:{{user:{user}}}:*:v")]).list();
        let key = keys.into_iter().next()?.bytes();
        let sum = redis.command(&[b"HGET".to_vec(), key, b"v".to_vec()]);
        sum.ends_with(&format!(":{units};")).then_some(())
    };
    let waiting = async {
        while told().is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let done = tokio::time::timeout(LONG, waiting).await;
    assert!(done.is_ok(), "{units} were not told");
}

fn delete(redis: &Redis, user: &str) {
    let keys = redis.ask(&["KEYS", &format!("*:{{user:{user}}}:*")]).list();
    let keys = keys.into_iter().map(|key| key.bytes());
    for key in keys.filter(|key| !key.ends_with(b":v")) {
        redis.command(&[b"DEL".to_vec(), key]);
    }
}

async fn story(leases: Leases) {
    let redis = Redis::start();
    let nodes = patient_pair(&[redis.url()], leases);
    let limit: Limit = "400/120month".parse().unwrap();
    let limit = limit.with_algorithm(AlgorithmName::FixedWindow).unwrap();
    let [user] = sampled(&nodes, &limit).await;
    let admitted = 1 + passed(&nodes, &user, &limit, 300).await;
    assert_eq!(admitted, 301, "there is enough for all");
    until_told(&redis, &user, 301).await;
    assert_eq!(overshoot(&nodes), 0);
    delete(&redis, &user);
    let deadline = tokio::time::Instant::now() + LONG;
    while overshoot(&nodes) == 0 {
        assert!(tokio::time::Instant::now() < deadline, "it was not noticed");
        passed(&nodes, &user, &limit, 20).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_counter_is_noticed_when_counted_exactly() {
    story(Leases::Off).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_counter_is_noticed_when_leased() {
    story(Leases::On).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_is_no_overshoot() {
    let redis = Redis::start();
    let nodes = patient_pair(&[redis.url()], Leases::Off);
    let limit: Limit = "50/120month".parse().unwrap();
    let [user, other] = sampled(&nodes, &limit).await;
    assert_eq!(passed(&nodes, &user, &limit, 60).await, 49);
    until_told(&redis, &user, 50).await;
    let key = CounterKey::new(RuleId::new(7), user.as_bytes());
    let charge = [Charge::new(key, &limit, Cost::new(30))];
    let refund = nodes.last().unwrap().inspect(Action::Refund, &charge);
    refund.await.unwrap();
    assert_eq!(passed(&nodes, &user, &limit, 60).await, 30);
    // A node reports all that it has admitted at once, and reads the answer before it reports again: who has told
    // twice of somebody who came later has heard all that there is to hear.
    for told in [3, 5] {
        assert_eq!(passed(&nodes, &other, &limit, 2).await, 2);
        until_told(&redis, &other, told).await;
    }
    assert_eq!(overshoot(&nodes), 0);
}
