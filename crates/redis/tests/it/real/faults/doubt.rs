//! What is in doubt after a loss, for how long, and who ends it.

use tollgate_core::{FallbackCause, OnFailure};
use tollgate_redis::Doubt;
use tollgate_testkit::redis::{Cluster, Redis, Setup};

use super::{
    cluster::users,
    fleet::{Fleet, Node, Rule, decide},
    load::Load,
};

/// So many are spent in the course of a story.
const UNITS: u64 = 600;

fn strict(user: &str, units: u64) -> Rule {
    Rule::by("fixed_window", user, units, OnFailure::Closed)
}

pub(crate) fn doubt(node: &Node) -> Option<Doubt> {
    let shards = node.health().shards;
    shards.iter().find_map(|shard| shard.doubt)
}

/// Redis decides about users that no node has ever seen, at every node.
pub(crate) async fn strangers_pass(fleet: &Fleet, prefix: &str) {
    fleet.wait("nodes that doubt nothing", |node| doubt(node).is_none());
    for (place, node) in fleet.nodes.iter().enumerate() {
        let rule = strict(&format!("{prefix}-{place}"), 3);
        let verdict = decide(node, &[rule.charge()]).await.unwrap();
        assert_eq!(verdict.fallback(), None, "node {place}");
        assert!(verdict.is_allowed(), "node {place}");
    }
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lone_node_doubts_nothing_once_it_has_told() {
    let mut redis = Redis::start();
    let fleet = Fleet::patient_of(1, [redis.url()]);
    fleet.is_up();
    let known = strict("known", 3);
    decide(&fleet.nodes[0], &[known.charge()]).await.unwrap();
    for round in 0..2 {
        redis.restart();
        fleet.wait("a node that has met the server", |node| node.stats().leases.asserted > round);
        fleet.is_up();
        strangers_pass(&fleet, &format!("stranger-{round}")).await;
        assert_eq!(fleet.left(&known).await, 2);
    }
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_are_all_alive_doubt_nothing_once_all_have_told() {
    let kept = Setup::default().line("appendonly yes");
    for mut redis in [Redis::start(), kept.line("appendfsync always").start()] {
        let mut fleet = Fleet::patient_of(3, [redis.url()]);
        fleet.is_up();
        let shared = strict("shared", UNITS);
        let load = Load::start(&fleet, vec![shared.clone()]);
        load.until_redis_decides();
        let before = admitted(load).await;
        // It joins, spends, and in the same moment all is lost.
        let joined = Fleet::patient_of(1, [redis.url()]);
        let late = strict("late", 1);
        assert!(joined.decides(0, &shared).await.is_allowed());
        assert!(joined.decides(0, &late).await.is_allowed());
        redis.restart();
        fleet.nodes.extend(joined.nodes);

        let load = Load::start(&fleet, vec![shared.clone()]);
        load.until("nothing left", |counts| counts.denied > 0);
        let after = admitted(load).await;
        assert_eq!(before + 1 + after, UNITS, "neither more nor less");
        fleet.is_up();
        strangers_pass(&fleet, "stranger").await;
        for node in 0..fleet.nodes.len() {
            let verdict = fleet.decides(node, &late).await;
            assert!(!verdict.is_allowed(), "it was spent before");
        }
    }
}

async fn admitted(load: Load<'_>) -> u64 {
    let seen = load.end().await;
    for (rule, counts) in &seen {
        assert_eq!(counts.admitted_by_policy, 0, "{}", rule.name());
    }
    seen.iter().map(|(_, counts)| counts.admitted).sum()
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_node_that_is_gone_may_have_spent_is_in_doubt_until_it_is_trusted() {
    let mut redis = Redis::start();
    let mut fleet = Fleet::patient_of(3, [redis.url()]);
    fleet.is_up();
    let (shared, gone) = (strict("shared", 2), strict("gone", 2));
    for (place, rule) in [(0, &shared), (2, &shared), (2, &gone), (2, &gone)] {
        let verdict = decide(&fleet.nodes[place], &[rule.charge()]).await.unwrap();
        assert!(verdict.is_allowed());
    }
    // With the node and with Redis, all is gone that was known of some.
    drop(fleet.nodes.pop());
    redis.restart();
    fleet.wait("nodes that doubt", |node| doubt(node).is_some_and(|doubt| doubt.awaited == 1));
    fleet.is_up();
    // One that is started meanwhile reads of it.
    fleet.nodes.extend(Fleet::patient_of(1, [redis.url()]).nodes);
    fleet.is_up();

    let stranger = strict("stranger", 2);
    for (place, node) in fleet.nodes.iter().enumerate() {
        let doubt = doubt(node).unwrap();
        assert!(doubt.since < doubt.until);
        // What one node has told of a counter is not all of it.
        for rule in [&shared, &gone, &stranger] {
            let verdict = decide(node, &[rule.charge()]).await.unwrap();
            let word = format!("node {place}, {}: {verdict:?}", rule.name());
            assert!(!verdict.is_allowed(), "{word}");
            assert_eq!(verdict.fallback_cause(), Some(FallbackCause::Doubt), "{word}");
            // The window lasts for years, and so may the doubt.
            let wait = verdict.binding().retry_after().unwrap();
            assert!(wait > std::time::Duration::from_secs(86_400), "{word}");
        }
    }

    fleet.nodes[0].trust().await.unwrap();
    fleet.wait("nodes that trust", |node| doubt(node).is_none());
    strangers_pass(&fleet, "later").await;
    let verdict = decide(&fleet.nodes[1], &[shared.charge()]).await.unwrap();
    assert!(verdict.is_allowed() && verdict.fallback().is_none());
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_of_a_lost_shard_is_in_doubt_once_all_have_told() {
    let mut cluster = Cluster::start();
    let fleet = Fleet::patient(cluster.urls());
    fleet.is_up();
    let users = users(&cluster);
    let rules: Vec<Rule> = users.iter().map(|user| strict(user, 3)).collect();
    for rule in &rules {
        fleet.decides(0, rule).await;
    }
    // Each shard in turn, so that of the fleet's own keys is among them.
    for shard in cluster.shards() {
        let (primary, replica) = (cluster.primary(shard), cluster.replica(shard));
        cluster.kill(primary);
        let name = cluster.node(replica).address().to_string();
        fleet.wait("nodes that know who took over", |node| {
            node.health().shards.iter().any(|shard| shard.name == name)
        });
        fleet.is_up();
        cluster.start_again(primary);
        let node = &fleet.nodes[1];
        assert_eq!(doubt(node), None);
        for user in &users {
            let rule = strict(&format!("{user}-{shard}"), 3);
            let verdict = fleet.decides(1, &rule).await;
            assert!(verdict.is_allowed() && verdict.fallback().is_none(), "{user}");
        }
    }
    for rule in &rules {
        assert_eq!(fleet.left(rule).await, 2, "{}", rule.name());
    }
}
