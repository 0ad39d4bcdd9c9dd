//! Requests whose counters are apart, and callers who do not wait for the answer.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::task::JoinSet;
use tollgate_core::{Charge, OnFailure, Store as _};
use tollgate_testkit::{
    redis::{Cluster, Redis},
    wait_for,
};

use super::fleet::{Fleet, LONG, Rule, decide};

const MANY: u64 = 1_000;
const FEW: u64 = 100;

/// Users whose counters are in different slots, by every algorithm: of many units, and at last one of few in
/// another shard than the first.
fn apart(cluster: &Cluster) -> Vec<Rule> {
    let node_of = |user: &String| {
        let tag = format!("{{user:{user}}}");
        cluster.node_of(cluster.slot_of(tag.as_bytes()))
    };
    let users: Vec<String> = (0..50).map(|number| format!("user-{number}")).collect();
    let algorithms = ["fixed_window", "token_bucket", "sliding_window", "sliding_log"];
    let many = algorithms.iter().zip(&users);
    let mut rules: Vec<Rule> = many
        .map(|(algorithm, user)| Rule::by(algorithm, user.as_str(), MANY, OnFailure::Closed))
        .collect();
    let mut others = users[algorithms.len()..].iter();
    let other = others.find(|other| node_of(other) != node_of(&users[0]));
    rules.push(Rule::new(other.unwrap().as_str(), FEW, OnFailure::Closed));
    rules
}

fn charges(rules: &[Rule]) -> Vec<Charge<'_>> {
    rules.iter().map(Rule::charge).collect()
}

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_denied_in_one_shard_is_charged_in_none_though_shards_fail_over() {
    let cluster = Cluster::start();
    let fleet = Fleet::start(cluster.urls());
    fleet.is_up();
    let rules = apart(&cluster);
    let (admitted, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let mut callers = JoinSet::new();
    for node in fleet.nodes.iter().cycle().take(6) {
        let (node, rules) = (Arc::clone(node), rules.clone());
        let (admitted, is_over) = (Arc::clone(&admitted), Arc::clone(&is_over));
        callers.spawn(async move {
            while !is_over.load(Relaxed) {
                let verdict = decide(&node, &charges(&rules)).await.unwrap();
                admitted.fetch_add(verdict.is_allowed().into(), Relaxed);
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
    }
    for shard in cluster.shards() {
        let enough = FEW / 4 * u64::try_from(shard + 1).unwrap();
        wait_for("some are admitted", LONG, || (admitted.load(Relaxed) >= enough).then_some(()));
        cluster.failover(shard);
    }
    wait_for("all is spent", LONG, || (admitted.load(Relaxed) >= FEW).then_some(()));
    is_over.store(true, Relaxed);
    callers.join_all().await;
    let admitted = admitted.load(Relaxed);
    fleet.is_up();
    fleet.settle().await;
    let mut spent = Vec::new();
    for rule in &rules {
        spent.push(rule.limit.amount() - fleet.left(rule).await);
    }
    assert_eq!(spent, vec![admitted; rules.len()], "by each algorithm");
    assert_eq!(admitted, FEW);
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

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_who_goes_away_between_two_shards_costs_nobody_a_unit() {
    let cluster = Cluster::start();
    let fleet = Fleet::patient(cluster.urls());
    fleet.is_up();
    let rules = apart(&cluster);
    let tag = format!("{{user:{}}}", rules[rules.len() - 1].name());
    let last = cluster.node(cluster.node_of(cluster.slot_of(tag.as_bytes())));
    let mut gone = 0;
    while gone < 5 {
        last.pause();
        let charges = charges(&rules);
        let patience = Duration::from_millis(30);
        let asked = tokio::time::timeout(patience, fleet.nodes[0].charge(&charges));
        // On a machine that stalls the policy may have answered before the caller can go away.
        match asked.await {
            Err(_) => gone += 1,
            Ok(verdict) => assert_eq!(verdict.unwrap().fallback(), Some(OnFailure::Closed)),
        }
        last.resume();
        fleet.is_up();
    }
    fleet.settle().await;
    for rule in &rules {
        let left = fleet.left(rule).await;
        assert_eq!(left, rule.limit.amount(), "{}", rule.limit.algorithm());
    }
}
