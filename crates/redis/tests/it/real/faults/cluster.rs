//! A Cluster changes, or a part of it is gone.

use tollgate_core::OnFailure;
use tollgate_redis::Standing;
use tollgate_testkit::redis::{Cluster, Program};

use super::{
    fleet::{Fleet, Rule},
    load::{Counts, Load},
    story::{conclude, is_known},
};

/// So many are not spent before a story has come to its end.
const UNITS: u64 = 1_500;

/// Two users in each shard, by place.
pub(crate) fn users(cluster: &Cluster) -> Vec<String> {
    let primaries = cluster.primaries();
    let of_shard = |shard: usize| {
        let is_there = |user: &String| {
            let slot = cluster.slot_of(format!("{{user:{user}}}").as_bytes());
            cluster.node_of(slot) == primaries[shard]
        };
        let users = (0..100).map(|number| format!("user-{number}"));
        users.filter(is_there).take(2).collect::<Vec<_>>()
    };
    cluster.shards().flat_map(of_shard).collect()
}

fn strict(users: &[String]) -> Vec<Rule> {
    let rule = |user: &String| Rule::new(user.as_str(), UNITS, OnFailure::Closed);
    users.iter().map(rule).collect()
}

async fn fails_over(program: Program) {
    let cluster = Cluster::of(program);
    let fleet = Fleet::start(cluster.urls());
    fleet.is_up();
    let load = Load::slow(&fleet, strict(&users(&cluster)));
    for shard in cluster.shards() {
        load.until_redis_decides();
        let primary = cluster.failover(shard);
        let name = cluster.node(primary).address().to_string();
        fleet.wait("nodes that know the new primary", |node| {
            node.health().shards.iter().any(|shard| shard.name == name)
        });
    }
    fleet.is_up();
    fleet.wait("nodes that know of three shards", |node| node.health().shards.len() == 3);
    conclude(&fleet, load).await;
}

// Proves: C2, C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_shard_of_a_cluster_fails_over_under_load_and_nothing_is_lost() {
    fails_over(Program::Redis).await;
}

// Proves: C2, C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_shard_of_a_valkey_cluster_fails_over_under_load_and_nothing_is_lost() {
    fails_over(Program::Valkey).await;
}

// Proves: C2, C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slot_moves_under_load_and_nothing_is_lost() {
    let cluster = Cluster::start();
    let fleet = Fleet::start(cluster.urls());
    fleet.is_up();
    let rules = strict(&users(&cluster)[..1]);
    let tag = format!("{{user:{}}}", String::from_utf8_lossy(&rules[0].user));
    let slot = cluster.slot_of(tag.as_bytes());
    let load = Load::slow(&fleet, rules);
    for to in [1, 2, 0] {
        load.until_redis_decides();
        let migration = cluster.migration(slot, to);
        load.until_redis_decides();
        assert_eq!(migration.move_keys(), 1, "the counter goes with its slot");
        load.until_redis_decides();
        migration.end();
    }
    load.until_redis_decides();
    conclude(&fleet, load).await;
}

// Proves: C6, C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_dead_shard_of_three_degrades_only_its_own_keys() {
    let mut cluster = Cluster::start();
    let fleet = Fleet::start(cluster.urls());
    fleet.is_up();
    let load = Load::slow(&fleet, strict(&users(&cluster)));
    load.until_redis_decides();
    let (dead, replica) = (cluster.primary(0), cluster.replica(0));
    let address = cluster.node(dead).address();

    // The replica first, so that nobody takes over.
    cluster.kill(replica);
    cluster.kill(dead);
    fleet.is_down(address);
    let before = load.counts();
    load.until("decisions by policy in one, by Redis in the others", |_| {
        let now = load.counts();
        let more = |count: fn(&Counts) -> u64, at: usize| count(&now[at]) > count(&before[at]) + 50;
        (0..2).all(|at| more(Counts::by_policy, at)) && (2..6).all(|at| more(Counts::by_redis, at))
    });
    let now = load.counts();
    for at in 0..2 {
        assert_eq!(now[at].by_redis(), before[at].by_redis(), "nobody is there to be asked");
    }
    let dead_name = address.to_string();
    fleet.wait("nodes to which only the dead shard is down", |node| {
        let shards = node.health().shards;
        let mut down = shards.iter().filter(|shard| shard.standing == Standing::Down);
        let only = (down.next(), down.next());
        matches!(only, (Some(shard), None) if shard.name == dead_name)
    });

    cluster.start_again(dead);
    fleet.is_up();
    load.until_redis_decides();
    let seen = load.end().await;
    fleet.settle().await;
    // What the dead shard knew was lost, and told again.
    is_known(&fleet, &seen).await;
}

// Proves: C6, C2, C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_primary_is_followed_by_its_replica_without_a_restart_of_anybody() {
    let mut cluster = Cluster::start();
    let fleet = Fleet::start(cluster.urls());
    fleet.is_up();
    let load = Load::slow(&fleet, strict(&users(&cluster)));
    load.until_redis_decides();
    let dead = cluster.primary(1);
    cluster.kill(dead);
    load.until_redis_decides();
    fleet.is_up();
    let seen = load.end().await;
    fleet.settle().await;
    // The replica may not have heard of the last charges before the death of its primary: it was told.
    is_known(&fleet, &seen).await;
}
