//! A Cluster: slots that move, primaries that change, shards that die.

use tollgate_testkit::{redis::Cluster, wait_for};

use super::common::{
    SOON, add, add_in_the_end, all_up, down, failures, note, ready, ready_and_impatient,
};
use crate::{
    Layout, Standing,
    client::{Cause, Failure},
    slot::Slot,
};

/// A key of each shard of the test's cluster.
const KEYS: [&str; 3] = ["rl:{b}:1", "rl:{c}:1", "rl:{a}:1"];

fn shard_of(cluster: &Cluster, key: &str) -> usize {
    let node = cluster.node_of(Slot::of(key.as_bytes()).get());
    cluster.primaries().iter().position(|primary| *primary == node).unwrap()
}

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_address_is_enough_to_find_them_all() {
    let cluster = Cluster::shared();
    let client = ready([cluster.urls().pop().unwrap()]);
    assert_eq!(client.layout(), Layout::Cluster);
    assert_eq!(client.health().shards.len(), 3);
    assert_eq!(client.health().findings, []);
    for at in 0..100_usize {
        let key = format!("one:{at}");
        assert_eq!(add(&client, &key, at).await, Ok(1));
        let name =
            cluster.node(cluster.node_of(Slot::of(key.as_bytes()).get())).address().to_string();
        let shard = client.shard(Slot::of(key.as_bytes())).unwrap();
        assert_eq!(shard.name(), name);
    }
    assert!(client.failures().iter().all(|(_, count)| *count == 0));
}

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slot_that_moves_is_followed_at_every_step() {
    let cluster = Cluster::start();
    let client = ready(cluster.urls());
    let (old, new) = ("rl:{move}:old", "rl:{move}:new");
    let slot = Slot::of(old.as_bytes());
    let to = (shard_of(&cluster, old) + 1) % 3;
    assert_eq!(add(&client, old, 1).await, Ok(1));

    let migration = cluster.migration(slot.get(), to);
    assert_eq!(add(&client, old, 2).await, Ok(2), "still at the source");
    // ASK: it is not at the source.
    assert_eq!(add(&client, new, 1).await, Ok(1));
    migration.target().flush_scripts();
    assert_eq!(add(&client, new, 2).await, Ok(2), "loaded after ASKING");
    // TRYAGAIN: one of them is here, the other there.
    let both = client.call(&note(&[old, new], "3")).await;
    assert_eq!(both, Err(Failure::NotRun(Cause::Moving)));
    assert_eq!(failures(&client, "moving"), 1);
    migration.move_keys();
    assert_eq!(add(&client, old, 3).await, Ok(3), "at the target");
    migration.end();

    // MOVED: the map still says the source.
    assert_eq!(add(&client, old, 4).await, Ok(4));
    assert_eq!(add(&client, new, 3).await, Ok(3));
    let name = cluster.node(cluster.node_of(slot.get())).address().to_string();
    assert_eq!(client.shard(slot).unwrap().name(), name);
    assert_eq!(failures(&client, "moving"), 1);
    all_up(&client);
}

// Proves: C2, C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_that_hands_over_is_left_without_a_loss() {
    let cluster = Cluster::start();
    let client = ready(cluster.urls());
    for (at, key) in KEYS.iter().enumerate() {
        let shard = shard_of(&cluster, key);
        assert_eq!(add(&client, key, 0).await, Ok(1));
        let primary = cluster.failover(shard);
        for who in 1..=20 {
            let count = add_in_the_end(&client, key, who).await;
            assert_eq!(count, i64::try_from(who).unwrap() + 1, "key {at}");
        }
        let name = cluster.node(primary).address().to_string();
        wait_for("the new primary is known", SOON, || {
            (client.shard(Slot::of(key.as_bytes()))?.name() == name).then_some(())
        });
    }
    all_up(&client);
    assert_eq!(client.health().shards.len(), 3);
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_three_shards_only_the_dead_one_is_down_until_its_replica_takes_over() {
    let mut cluster = Cluster::start();
    let client = ready(cluster.urls());
    let key = KEYS[0];
    let shard = shard_of(&cluster, key);
    let node = cluster.primary(shard);
    let name = cluster.node(node).address().to_string();
    cluster.kill(cluster.replica(shard));
    cluster.kill(node);
    down(&client, &name);
    let health = client.health().shards;
    let up = health.iter().filter(|shard| shard.standing == Standing::Up);
    assert_eq!(up.count(), 2);
    for (who, other) in KEYS[1..].iter().enumerate() {
        assert_eq!(add(&client, other, who).await, Ok(1));
    }
    assert!(matches!(add(&client, key, 1).await, Err(Failure::NotRun(_))));
    cluster.start_again(node);
    all_up(&client);
    assert_eq!(add_in_the_end(&client, key, 1).await, 1);
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_replica_of_a_killed_primary_is_found() {
    let mut cluster = Cluster::start();
    let client = ready(cluster.urls());
    let key = KEYS[1];
    let shard = shard_of(&cluster, key);
    let killed = cluster.primary(shard);
    cluster.kill(killed);
    let primary = wait_for("somebody else is asked", SOON, || {
        let name = client.shard(Slot::of(key.as_bytes()))?.name().to_owned();
        (name != cluster.node(killed).address().to_string()).then_some(name)
    });
    assert_eq!(add_in_the_end(&client, key, 1).await, 1);
    assert_eq!(primary, cluster.node(cluster.primary(shard)).address().to_string());
    all_up(&client);
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hung_shard_is_known_though_nobody_asks_it() {
    let mut cluster = Cluster::start();
    let client = ready_and_impatient(cluster.node(0).url());
    // Not the one of the heartbeat.
    let shard = (shard_of(&cluster, "rl:{tollgate}:nodes") + 1) % 3;
    let node = cluster.primary(shard);
    cluster.kill(cluster.replica(shard));
    cluster.node(node).pause();
    down(&client, &cluster.node(node).address().to_string());
    cluster.node(node).resume();
    all_up(&client);
}
