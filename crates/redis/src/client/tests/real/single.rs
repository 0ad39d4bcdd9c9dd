//! One server that is well: found, believed, and left.

use std::fs;

use tollgate_core::SystemClock;
use tollgate_testkit::{
    redis::{Program, Redis, Setup},
    wait_for,
};

use super::common::{SOON, add, all_up, failures, ready, start, start_with, under_way};
use crate::{
    Layout, Options,
    client::{Cause, Failure},
    slot::Slot,
};

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_script_runs_once_for_each_call() {
    for program in [Program::Redis, Program::Valkey] {
        let server = Redis::of(program);
        let client = ready([server.url()]);
        assert_eq!(client.layout(), Layout::Single);
        for who in 1..=20 {
            assert_eq!(add(&client, "key", who).await, Ok(i64::try_from(who).unwrap()));
        }
        let shard = client.shard(Slot::of(b"key")).unwrap();
        assert_eq!(shard.name(), server.address().to_string());
        assert!(shard.admits(0) && shard.admits(u64::MAX));
        assert_eq!(client.health().findings, []);
    }
}

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_forgot_the_scripts_is_told_again() {
    let server = Redis::start();
    let client = ready([server.url()]);
    for who in 1..=5 {
        server.flush_scripts();
        assert_eq!(add(&client, "key", who).await, Ok(i64::try_from(who).unwrap()));
    }
    assert!(client.failures().iter().all(|(_, count)| *count == 0));
}

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_go_out_in_the_order_in_which_they_were_made() {
    let server = Redis::start();
    let client = ready([server.url()]);
    let calls = under_way(&client, 200).join_all().await;
    assert_eq!(calls.len(), 200);
    for (who, count) in calls {
        assert_eq!(count, Ok(i64::try_from(who).unwrap()));
    }
}

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_hear_of_each_other() {
    let server = Redis::start();
    let one = ready([server.url()]);
    let other = ready([server.url()]);
    for client in [&one, &other] {
        let heard = || (client.live_nodes() == 2).then_some(());
        wait_for("both are counted", SOON, heard);
    }
    drop(other);
    let heard = || (one.live_nodes() == 1).then_some(());
    wait_for("one is gone", SOON, heard);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_left_of_a_client_that_nobody_holds() {
    let server = Redis::start();
    let client = ready([server.url()]);
    drop(client);
    wait_for("the connections end", SOON, || {
        (server.info("connected_clients") == "1").then_some(())
    });
}

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_tls_and_a_user_is_spoken_to() {
    let user = "app on >s3cret ~rl:* ~key +@all";
    let server = Setup::of(Program::Redis).tls().user(user).start();
    let url = format!("rediss://app:s3cret@{}", server.address());
    let mut options = Options::new([url.clone()]);
    options.authorities = Some(fs::read(server.ca()).unwrap());
    let client = start_with(&options, SystemClock);
    all_up(&client);
    assert_eq!(add(&client, "key", 1).await, Ok(1));

    // Without its authority it is not believed.
    let stranger = start([url]);
    let told = wait_for("the stranger is told", SOON, || {
        stranger.health().shards.first()?.trouble.clone()
    });
    assert!(told.contains("certificate"), "{told}");
    assert_eq!(stranger.layout(), Layout::Unknown);
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_not_come_in_is_told_so() {
    let server = Setup::of(Program::Redis).password("s3cret").start();
    let urls =
        [format!("redis://{}", server.address()), format!("redis://:wrong@{}", server.address())];
    for (url, said) in urls.into_iter().zip(["NOAUTH", "WRONGPASS"]) {
        let client = start([url]);
        let told = wait_for("it is told", SOON, || client.health().shards.first()?.trouble.clone());
        assert!(told.to_uppercase().contains(said) || told.contains("assword"), "{told}");
        assert!(!told.contains("wrong@"), "{told}");
        let failure = add(&client, "key", 1).await;
        assert_eq!(failure, Err(Failure::NotRun(Cause::Forbidden)));
        assert!(failures(&client, "forbidden") >= 1);
    }
    assert_eq!(add(&ready([server.url()]), "key", 1).await, Ok(1));
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_somebody_else_put_into_a_key_is_no_fault_of_the_shard() {
    let server = Redis::start();
    let client = ready([server.url()]);
    server.command(&["SET", "key", "mine"]);
    for _ in 0..20 {
        let failure = add(&client, "key", 1).await;
        assert_eq!(failure, Err(Failure::NotRun(Cause::Foreign)));
    }
    assert_eq!(add(&client, "other", 1).await, Ok(1));
    all_up(&client);
}
