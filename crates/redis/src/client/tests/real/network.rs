//! A network that is not well, between us and a server that is.

use std::time::Duration;

use tollgate_testkit::{proxy::Proxy, redis::Redis, wait_for};

use super::common::{
    SOON, add, add_in_the_end, all_up, down, ready, ready_and_impatient, under_way,
};
use crate::{
    client::{Cause, Failure},
    slot::Slot,
};

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_whose_reply_is_lost_has_run_once() {
    let server = Redis::start();
    let proxy = Proxy::to(server.address());
    let client = ready([format!("redis://{}", proxy.addr())]);
    proxy.drop_reply_to(b"424242");
    let failure = add(&client, "key", 424_242).await;
    assert_eq!(failure, Err(Failure::InDoubt(Cause::Unreachable)));
    assert_eq!(server.command(&["ZCARD", "key"]), "1");
    assert_eq!(add_in_the_end(&client, "key", 2).await, 2);
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_at_whose_other_end_nobody_is_is_replaced() {
    let server = Redis::start();
    let proxy = Proxy::to(server.address());
    let client = ready_and_impatient(format!("redis://{}", proxy.addr()));
    proxy.stall();
    // Nobody asks: the keeper finds out by itself.
    down(&client, &proxy.addr().to_string());
    proxy.flow();
    all_up(&client);
    assert_eq!(add_in_the_end(&client, "key", 1).await, 1);
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_for_which_nobody_waited_does_not_speak_for_the_shard() {
    let server = Redis::start();
    let proxy = Proxy::to(server.address());
    let client = ready([format!("redis://{}", proxy.addr())]);
    let shard = client.shard(Slot::of(b"key")).unwrap();
    proxy.slow(Duration::from_millis(30));
    // What was on its way may still be prompt.
    assert_eq!(add(&client, "key", 1).await, Ok(1));
    assert!(shard.admits(99));
    for who in 2..=6 {
        shard.failed(Cause::Silent);
        assert_eq!(add(&client, "key", who).await, Ok(i64::try_from(who).unwrap()));
    }
    assert!(!shard.admits(99));
    proxy.flow();
    all_up(&client);
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_that_come_byte_by_byte_are_replies() {
    let server = Redis::start();
    let proxy = Proxy::to(server.address());
    proxy.crumble();
    let client = ready([format!("redis://{}", proxy.addr())]);
    let calls = under_way(&client, 50).join_all().await;
    for (who, count) in calls {
        assert_eq!(count, Ok(i64::try_from(who).unwrap()));
    }
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_asked_through_half_a_connection_is_in_doubt_and_has_run_once() {
    let server = Redis::start();
    let proxy = Proxy::to(server.address());
    let client = ready_and_impatient(format!("redis://{}", proxy.addr()));
    proxy.mute();
    let failure = add(&client, "key", 1).await;
    assert!(matches!(failure, Err(Failure::InDoubt(_))), "{failure:?}");
    wait_for("it has run", SOON, || (server.command(&["ZCARD", "key"]) == "1").then_some(()));
    proxy.flow();
    assert_eq!(add_in_the_end(&client, "key", 2).await, 2);
    all_up(&client);
}
