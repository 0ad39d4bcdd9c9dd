//! Somebody takes over who has not heard of everything, or nobody knows of a counter any more.

use tollgate_core::OnFailure;
use tollgate_testkit::redis::{Cluster, Program, Redis};

use super::{
    cluster::users,
    fleet::{Fleet, LONG, Rule, decide},
    load::Load,
    story::{ENDLESS, conclude, is_known},
};

/// So many are spent in the course of a story.
const UNITS: u64 = 1_500;

/// Strict rules of these algorithms, in a shard each. Logs have their turn in the stories of a single server.
fn rules(cluster: &Cluster, algorithms: [&str; 3], units: u64) -> Vec<Rule> {
    let users = users(cluster).into_iter().step_by(2);
    let rules = users.zip(algorithms);
    let rule = |(user, algorithm)| Rule::by(algorithm, user, units, OnFailure::Closed);
    rules.map(rule).collect()
}

/// From now on the replica of this server hears nothing of what it is told.
fn cut_off_replica(primary: &Redis) {
    primary.command(&["ACL", "SETUSER", "default", "-psync", "-sync"]);
    assert_eq!(primary.command(&["CLIENT", "KILL", "TYPE", "replica"]), "1");
}

fn reclaimed(fleet: &Fleet) -> u64 {
    let nodes = fleet.nodes.iter();
    nodes.map(|node| node.stats().leases.reclaimed).sum()
}

async fn dies_before_its_replica_has_heard(program: Program) {
    let mut cluster = Cluster::of(program);
    let fleet = Fleet::start(cluster.urls());
    fleet.is_up();
    // A bucket of so many would earn some more in the course of the story.
    let algorithms = ["sliding_window", "fixed_window", "sliding_window"];
    let load = Load::slow(&fleet, rules(&cluster, algorithms, ENDLESS));
    for shard in cluster.shards() {
        load.until_redis_decides();
        let before = reclaimed(&fleet);
        let (primary, replica) = (cluster.primary(shard), cluster.replica(shard));
        cut_off_replica(cluster.node(primary));
        // This is acknowledged, and known to nobody but the one who is to die, and the nodes.
        load.until_redis_decides();
        cluster.kill(primary);
        let name = cluster.node(replica).address().to_string();
        fleet.wait("nodes that know who took over", |node| {
            node.health().shards.iter().any(|shard| shard.name == name)
        });
        fleet.is_up();
        assert!(reclaimed(&fleet) > before, "what the replica has not heard");
        cluster.start_again(primary);
    }
    load.until_redis_decides();
    let seen = load.end().await;
    fleet.settle().await;
    is_known(&fleet, &seen).await;
    for (rule, counts) in &seen {
        assert_eq!(counts.admitted_by_policy, 0, "{}: {counts:?}", rule.name());
    }
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_that_dies_before_its_replica_has_heard_of_everything_costs_nobody_a_unit() {
    dies_before_its_replica_has_heard(Program::Redis).await;
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_valkey_that_dies_before_its_replica_has_heard_of_everything_costs_nobody_a_unit() {
    dies_before_its_replica_has_heard(Program::Valkey).await;
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_that_takes_over_from_a_living_primary_is_told_what_it_has_not_heard() {
    let cluster = Cluster::start();
    let fleet = Fleet::start(cluster.urls());
    fleet.is_up();
    let algorithms = ["token_bucket", "fixed_window", "sliding_window"];
    let load = Load::slow(&fleet, rules(&cluster, algorithms, UNITS));
    load.until_redis_decides();
    for shard in cluster.shards() {
        let (primary, replica) = (cluster.primary(shard), cluster.replica(shard));
        cut_off_replica(cluster.node(primary));
        load.until_redis_decides();
        let words = ["CLUSTER", "FAILOVER", "TAKEOVER"];
        cluster.node(replica).command(&words);
        let name = cluster.node(replica).address().to_string();
        fleet.wait("nodes that know who took over", |node| {
            node.health().shards.iter().any(|shard| shard.name == name)
        });
    }
    fleet.is_up();
    conclude(&fleet, load).await;
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_counter_of_which_nobody_knows_is_unknown_until_it_would_not_count() {
    let mut redis = Redis::start();
    let mut fleet = Fleet::patient([redis.url()]);
    fleet.is_up();
    let closed = Rule::by("fixed_window", "closed", 3, OnFailure::Closed);
    let local = Rule::by("fixed_window", "local", 3, OnFailure::Local);
    let brief = Rule {
        limit: tollgate_testkit::limit("1/s burst 12"),
        ..Rule::new("brief", 1, OnFailure::Closed)
    };
    let known = Rule::by("fixed_window", "known", 3, OnFailure::Closed);
    for rule in [&closed, &local, &brief] {
        let verdict = decide(&fleet.nodes[1], &[rule.charge()]).await.unwrap();
        assert!(verdict.is_allowed() && verdict.fallback().is_none());
    }
    let verdict = decide(&fleet.nodes[0], &[known.charge()]).await.unwrap();
    assert!(verdict.is_allowed());
    // With the node that has asked, and with Redis, all is gone that was known of three of them.
    drop(fleet.nodes.pop());
    redis.restart();
    fleet.is_up();

    let node = &fleet.nodes[0];
    // Of the last one only a part is told: the other node may have spent of it, too.
    let answers = [(&closed, false), (&local, true), (&closed, false), (&known, false)];
    for (rule, is_allowed) in answers {
        let verdict = decide(node, &[rule.charge()]).await.unwrap();
        assert_eq!(verdict.fallback(), Some(rule.policy), "{}", rule.name());
        assert_eq!(verdict.is_allowed(), is_allowed, "{}", rule.name());
    }
    // What a policy has admitted is told, and makes its counter known; nothing is told of the strict one.
    assert_eq!(node.settle(LONG).await, 0);
    let keys = redis.command(&["KEYS", "rl:{user:*"]);
    assert!(keys.contains("known") && !keys.contains("closed"), "{keys}");
    assert!(keys.contains("local"), "{keys}");

    // What was lost of a bucket does not count once it would be full again.
    assert_eq!(fleet.left(&brief).await, 12);
    let verdict = decide(node, &[brief.charge()]).await.unwrap();
    assert!(verdict.is_allowed() && verdict.fallback().is_none());
}

/// Strict rules whose units are spent in slices: the loss of some admits less, never more.
fn leased(users: impl IntoIterator<Item = String>) -> Vec<Rule> {
    let algorithms = ["token_bucket", "fixed_window", "sliding_window"];
    let rule = |(user, algorithm)| Rule::by(algorithm, user, UNITS, OnFailure::Closed).leased();
    users.into_iter().zip(algorithms).map(rule).collect()
}

async fn is_never_more(fleet: &Fleet, load: Load<'_>) {
    load.until("limits that are used up", |counts| counts.denied > 0);
    for (rule, counts) in load.end().await {
        let word = rule.name();
        assert!(counts.admitted <= UNITS, "{word}: {counts:?}");
        assert!(counts.admitted > UNITS / 4, "{word}: {counts:?}");
        assert_eq!(counts.admitted_by_policy, 0, "{word}: {counts:?}");
    }
    let stats = fleet.nodes.iter().map(|node| node.stats().leases);
    assert!({ stats }.all(|leases| leases.spent > 0), "from memory");
}

// Proves: C7, C3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slices_of_a_redis_that_is_restarted_empty_are_spent_no_more_than_once() {
    let mut redis = Redis::start();
    let fleet = Fleet::start([redis.url()]);
    fleet.is_up();
    let users = ["ann", "bob", "cid"].map(str::to_owned);
    let load = Load::start(&fleet, leased(users));
    for _ in 0..3 {
        load.until_redis_decides();
        redis.restart();
    }
    is_never_more(&fleet, load).await;
}

// Proves: C7, C3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slices_of_a_primary_that_dies_with_what_its_replica_has_not_heard_are_spent_once() {
    let mut cluster = Cluster::start();
    let fleet = Fleet::start(cluster.urls());
    fleet.is_up();
    let users = users(&cluster).into_iter().step_by(2);
    let load = Load::start(&fleet, leased(users));
    for shard in cluster.shards() {
        load.until_redis_decides();
        let (primary, replica) = (cluster.primary(shard), cluster.replica(shard));
        cut_off_replica(cluster.node(primary));
        load.until_redis_decides();
        cluster.kill(primary);
        let name = cluster.node(replica).address().to_string();
        fleet.wait("nodes that know who took over", |node| {
            node.health().shards.iter().any(|shard| shard.name == name)
        });
        cluster.start_again(primary);
    }
    fleet.is_up();
    is_never_more(&fleet, load).await;
}
