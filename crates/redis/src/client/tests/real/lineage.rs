//! Servers that take over or come back, and those that do not.

use tollgate_testkit::{
    proxy::Proxy,
    redis::{Cluster, Redis, Setup},
    wait_for,
};

use super::common::{
    SOON, add, add_in_the_end, all_up, all_up_later, assert_nothing, ready, ready_by_hand,
};
use crate::{
    Standing,
    client::{Cause, Client, Failure, PATIENCE, term::QUARANTINE},
    slot::Slot,
};

fn slot(key: &str) -> Slot {
    Slot::of(key.as_bytes())
}

fn micros(server: &Redis) -> u64 {
    let time = server.command(&["TIME"]);
    let (secs, micros) = time.split_once('\n').unwrap();
    secs.parse::<u64>().unwrap() * 1_000_000 + micros.parse::<u64>().unwrap()
}

/// Waits until a server of this slot is known to have taken over since the one before.
fn taken_over(client: &Client, key: &str, before: u64) -> u64 {
    wait_for("it is noticed", SOON, || {
        Some(client.since(slot(key))).filter(|since| *since > before)
    })
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_was_restarted_is_kept_out_until_all_is_told() {
    let mut server = Redis::start();
    let (client, clock) = ready_by_hand([server.url()]);
    assert_eq!(client.since(slot("key")), 0, "the first is no change");
    assert_eq!(client.to_assert(), []);
    let before = micros(&server);
    server.restart();
    let since = taken_over(&client, "key", 0);
    assert!(since > before && since <= micros(&server));
    let health = client.health().shards.remove(0);
    assert_eq!(health.standing, Standing::Down);
    let kept_out = Err(Failure::NotRun(Cause::Moving));
    assert_eq!(add(&client, "key", 1).await, kept_out);
    assert_eq!(server.command(&["EXISTS", "key"]), "0");

    // Time alone does not open it.
    let shard = client.shard(slot("key")).unwrap();
    assert!(shard.is_quarantined());
    clock.advance(QUARANTINE);
    assert!(!shard.is_quarantined());
    assert_eq!(add(&client, "key", 1).await, kept_out);
    let trouble = client.health().shards.remove(0).trouble.unwrap();
    assert!(trouble.contains("what it may have lost"), "{trouble}");
    all_up_later(&client, &clock);
    assert_eq!(add(&client, "key", 1).await, Ok(1));
    assert_eq!(client.since(slot("key")), since);
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_told_at_once_is_told_again_before_it_counts() {
    let mut server = Redis::start();
    let (client, clock) = ready_by_hand([server.url()]);
    server.restart();
    taken_over(&client, "key", 0);
    let shard = client.shard(slot("key")).unwrap();
    let fresh = wait_for("there is something to tell", SOON, || client.to_assert().pop());
    assert!(shard.is_fresh());
    client.asserted(fresh);
    assert_eq!(client.to_assert().len(), 1, "replies may be on their way");
    clock.advance(PATIENCE);
    assert!(!shard.is_fresh(), "they are not any more");
    assert!(shard.is_quarantined());
    assert_nothing(&client);
    assert_eq!(client.to_assert(), []);
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_was_lost_is_no_change() {
    let server = Redis::start();
    let proxy = Proxy::to(server.address());
    let client = ready([format!("redis://{}", proxy.addr())]);
    assert_eq!(add(&client, "key", 1).await, Ok(1));
    proxy.drop_reply_to(b"424242");
    assert!(add(&client, "key", 424_242).await.is_err());
    assert_eq!(add_in_the_end(&client, "key", 2).await, 3);
    assert_eq!(client.since(slot("key")), 0);
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_was_a_replica_for_a_while_is_noticed_without_a_reconnect() {
    let (primary, server) = (Redis::start(), Redis::start());
    let client = ready([server.url()]);
    let clients = server.info("total_connections_received");
    let port = primary.address().port().to_string();
    server.command(&["REPLICAOF", "127.0.0.1", &port]);
    wait_for("it has what its primary has", SOON, || {
        (server.info("master_link_status") == "up").then_some(())
    });
    server.command(&["REPLICAOF", "NO", "ONE"]);
    taken_over(&client, "key", 0);
    drop(clients);
    all_up(&client);
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_does_not_say_who_it_is_is_another_after_each_connect() {
    let user =
        "app on >s3cret ~* +evalsha +zadd +zremrangebyscore +pexpire +zcard +script|load +time";
    let server = Setup::default().user(user).start();
    let client = ready([format!("redis://app:s3cret@{}", server.address())]);
    assert_eq!(client.since(slot("key")), 0);
    let killed = server.command(&["CLIENT", "KILL", "USER", "app"]);
    assert_ne!(killed, "0");
    taken_over(&client, "key", 0);
    all_up(&client);
    let told = client.health().findings;
    let is_told = told.iter().any(|finding| finding.text.contains("every lost connection"));
    assert!(is_told, "{told:?}");
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_that_was_promoted_is_asked_who_it_is_before_anything_else() {
    let cluster = Cluster::start();
    let (client, clock) = ready_by_hand(cluster.urls());
    let keys = ["rl:{b}:1", "rl:{c}:1", "rl:{a}:1"];
    let shard = |key: &str| {
        let node = cluster.node_of(slot(key).get());
        cluster.primaries().iter().position(|one| *one == node)
    };
    for how in ["FORCE", "TAKEOVER"] {
        let key = keys[0];
        let (before, others) = (client.since(slot(key)), [keys[1], keys[2]]);
        let next = cluster.replica(shard(key).unwrap());
        cluster.node(next).command(&["CLUSTER", "FAILOVER", how]);
        let since = taken_over(&client, key, before);
        assert!(since <= micros(cluster.node(next)));
        for other in others {
            assert_eq!(client.since(slot(other)), 0, "nothing happened to them");
        }
        let failure = add(&client, key, 1).await;
        assert!(matches!(failure, Err(Failure::NotRun(_))), "{failure:?}");
        cluster.settle();
        all_up_later(&client, &clock);
        assert!(add_in_the_end(&client, key, 2).await >= 1);
        assert_eq!(client.since(slot(key)), since);
    }
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slot_that_moves_between_primaries_that_stay_is_no_change() {
    let cluster = Cluster::start();
    let client = ready(cluster.urls());
    let key = "rl:{move}:1";
    assert_eq!(add(&client, key, 0).await, Ok(1));
    for (who, to) in [1, 2, 0].into_iter().enumerate() {
        if cluster.node_of(slot(key).get()) == cluster.primary(to) {
            continue;
        }
        cluster.move_slot(slot(key).get(), to);
        let count = add(&client, key, who + 1).await;
        assert!(count.is_ok(), "{count:?}");
        assert_eq!(client.since(slot(key)), 0);
    }
    assert_eq!(client.to_assert(), []);
    all_up(&client);
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_server_may_have_lost_of_a_slot_goes_with_it() {
    let cluster = Cluster::start();
    let client = ready(cluster.urls());
    let key = "rl:{move}:1";
    let from = cluster.node_of(slot(key).get());
    let shard = cluster.primaries().iter().position(|one| *one == from);
    let shard = shard.unwrap();
    cluster.failover(shard);
    let since = taken_over(&client, key, 0);
    all_up(&client);
    cluster.move_slot(slot(key).get(), (shard + 1) % 3);
    assert_eq!(add_in_the_end(&client, key, 1).await, 1);
    assert_eq!(client.since(slot(key)), since);
}
