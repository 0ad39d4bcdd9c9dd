//! Requests whose counters are apart, and callers who do not wait for the answer.

use std::{sync::Arc, time::Duration};

use tokio::task::JoinSet;
use tollgate_core::{OnFailure, Store as _};
use tollgate_testkit::redis::{Cluster, Redis};

use crate::fleet::{Fleet, Rule, decide};

const MANY: u64 = 1_000;
const FEW: u64 = 100;

/// Two users whose counters are in different shards: of many units and of few.
fn apart(cluster: &Cluster) -> [Rule; 2] {
    let node_of = |user: &String| {
        let tag = format!("{{user:{user}}}");
        cluster.node_of(cluster.slot_of(tag.as_bytes()))
    };
    let users: Vec<String> = (0..50).map(|number| format!("user-{number}")).collect();
    let one = &users[0];
    let other = users.iter().find(|other| node_of(other) != node_of(one));
    [
        Rule::new(one.as_str(), MANY, OnFailure::Closed),
        Rule::new(other.unwrap().as_str(), FEW, OnFailure::Closed),
    ]
}

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_denied_in_one_shard_is_charged_in_none_though_shards_fail_over() {
    let cluster = Cluster::start();
    let fleet = Fleet::start(cluster.urls());
    fleet.is_up();
    let [many, few] = apart(&cluster);
    let mut callers = JoinSet::new();
    for node in fleet.nodes.iter().cycle().take(6) {
        let (node, many, few) = (Arc::clone(node), many.clone(), few.clone());
        callers.spawn(async move {
            let mut admitted = 0;
            for _ in 0..400 {
                let charges = [many.charge(), few.charge()];
                let verdict = decide(&node, &charges).await.unwrap();
                admitted += u64::from(verdict.is_allowed());
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            admitted
        });
    }
    for shard in cluster.shards() {
        cluster.failover(shard);
    }
    let admitted: u64 = callers.join_all().await.iter().sum();
    fleet.is_up();
    fleet.settle().await;
    assert_eq!(fleet.left(&many).await, MANY - admitted);
    assert_eq!(fleet.left(&few).await, FEW - admitted);
    assert!(admitted > FEW / 2, "most of it was spent: {admitted}");
}

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_who_goes_away_while_redis_decides_costs_nobody_a_unit() {
    let redis = Redis::start();
    let fleet = Fleet::start([redis.url()]);
    fleet.is_up();
    let rule = Rule::new("hasty", MANY, OnFailure::Closed);
    let mut admitted = 0;
    for number in 0..500 {
        let patience = Duration::from_micros(number * 4);
        let charges = [rule.charge()];
        let asked = tokio::time::timeout(patience, fleet.nodes[0].charge(&charges));
        if let Ok(verdict) = asked.await {
            admitted += u64::from(verdict.unwrap().is_allowed());
        }
    }
    fleet.settle().await;
    assert_eq!(fleet.left(&rule).await, MANY - admitted);
}
