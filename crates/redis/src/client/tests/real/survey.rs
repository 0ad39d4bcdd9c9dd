//! What is found out about servers at the connect.

use tollgate_core::{Clock as _, ManualClock, SystemClock};
use tollgate_testkit::{
    redis::{Program, Redis, Setup},
    wait_for,
};

use super::common::{SOON, all_up, ready, start, start_with};
use crate::{Options, client::Client};

fn texts(client: &Client) -> Vec<String> {
    let findings = client.health().findings;
    findings.into_iter().map(|finding| finding.text).collect()
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_forgets_counters_is_told() {
    let server = Setup::of(Program::Redis).line("maxmemory-policy allkeys-lru").start();
    let client = ready([server.url()]);
    let found = client.health().findings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].shard, server.address().to_string());
    assert!(found[0].text.contains("allkeys-lru") && found[0].text.contains("noeviction"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_apart_is_told() {
    let server = Redis::start();
    let clock = ManualClock::at(SystemClock.now().wall);
    clock.step_wall(-90_000_000);
    let options = Options::new([server.url()]);
    let client = start_with(&options, clock);
    all_up(&client);
    let found = texts(&client);
    assert!(found[0].contains("s ahead of this node's"), "{found:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_is_told() {
    let primary = Redis::start();
    let replica = Redis::start();
    let port = primary.address().port().to_string();
    replica.command(&["REPLICAOF", "127.0.0.1", &port]);
    let client = start([replica.url()]);
    let found = wait_for("it is told", SOON, || {
        texts(&client).into_iter().find(|text| text.contains("replica"))
    });
    assert!(found.contains("127.0.0.1"), "{found}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_who_may_do_little_is_told_what_is_missing() {
    let user =
        "app on >s3cret ~* +evalsha +zadd +zremrangebyscore +pexpire +zcard +script|load +time";
    let server = Setup::of(Program::Redis).user(user).start();
    let client = ready([format!("redis://app:s3cret@{}", server.address())]);
    let found = texts(&client);
    assert!(found.iter().any(|text| text.contains("+info")), "{found:?}");
    assert!(found.iter().any(|text| text.contains("+cluster|slots")), "{found:?}");
    assert_eq!(super::common::add(&client, "key", 1).await, Ok(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_several_servers_without_a_cluster_only_the_first_is_used() {
    let servers = [Redis::start(), Redis::start()];
    let client = ready(servers.iter().map(Redis::url));
    assert_eq!(super::common::add(&client, "key", 1).await, Ok(1));
    assert_eq!(servers[0].command(&["EXISTS", "key"]), "1");
    assert_eq!(servers[1].command(&["EXISTS", "key"]), "0");
    let found = texts(&client);
    assert!(found.iter().any(|text| text.contains("only the first is used")), "{found:?}");
}
