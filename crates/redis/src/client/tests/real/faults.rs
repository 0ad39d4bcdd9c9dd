//! One server that is not well: absent, killed, hung, full, busy.

use tokio::time::timeout;
use tollgate_core::Micros;
use tollgate_testkit::{
    redis::{Program, Redis, Setup},
    wait_for,
};

use super::common::{
    SOON, add, add_in_the_end, all_up, all_up_later, assert_nothing, down, failures, ready,
    ready_and_impatient, ready_by_hand, standing, start, under_way, until,
};
use crate::{
    Layout, Standing,
    client::{Cause, Failure, breaker::STEP, run::IN_FLIGHT_MAX},
    slot::Slot,
};

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_absent_at_the_start_is_found_when_it_comes() {
    let mut server = Redis::start();
    server.kill();
    let client = start([server.url()]);
    wait_for("it is told", SOON, || client.health().shards.first()?.trouble.clone());
    assert_eq!(client.layout(), Layout::Unknown);
    assert_eq!(client.live_nodes(), 1);
    let unreachable = Err(Failure::NotRun(Cause::Unreachable));
    assert_eq!(add(&client, "key", 1).await, unreachable);
    server.start_again();
    all_up(&client);
    assert_eq!(add(&client, "key", 1).await, Ok(1));
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_was_killed_comes_back_step_by_step() {
    let mut server = Redis::start();
    let (client, clock) = ready_by_hand([server.url()]);
    assert_eq!(add(&client, "key", 1).await, Ok(1));
    server.kill();
    let name = server.address().to_string();
    down(&client, &name);
    let failure = timeout(SOON, add(&client, "key", 2)).await;
    assert_eq!(failure.unwrap(), Err(Failure::NotRun(Cause::Unreachable)));
    let trouble = client.health().shards[0].trouble.clone();
    assert!(trouble.is_some());
    server.start_again();
    // It returns while it is told what it may have lost, and for so long it is kept out.
    let shard = client.shard(Slot::of(b"key")).unwrap();
    let returns = |to: Standing| {
        wait_for("it returns", SOON, || (shard.standing() == to).then_some(()));
        assert_eq!(standing(&client, &name), Some(Standing::Down));
    };
    returns(Standing::Returning(10));
    clock.advance(STEP);
    returns(Standing::Returning(50));
    clock.advance(STEP);
    returns(Standing::Up);
    wait_for("it is let in", SOON, || {
        assert_nothing(&client);
        clock.advance(Micros::from_millis(50));
        standing(&client, &name).filter(|now| *now == Standing::Up)
    });
    assert_eq!(add(&client, "key", 1).await, Ok(1), "it was empty");
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_hung_server_was_asked_is_in_doubt_and_never_sent_again() {
    let server = Redis::start();
    let client = ready_and_impatient(server.url());
    server.pause();
    let failure = timeout(SOON, add(&client, "key", 1)).await.unwrap();
    let Err(Failure::InDoubt(cause)) = failure else {
        panic!("{failure:?}");
    };
    // The keeper asks now and then, too, and may be the first to give up the connection.
    let is_known = matches!(cause, Cause::Silent | Cause::Unreachable);
    assert!(is_known, "{cause:?}");
    down(&client, &server.address().to_string());
    let failure = timeout(SOON, add(&client, "key", 2)).await.unwrap();
    assert_eq!(failure, Err(Failure::NotRun(Cause::Unreachable)));
    server.resume();
    all_up(&client);
    // The first may have run; the second has not.
    let count = add(&client, "key", 3).await.unwrap();
    assert!((1..=2).contains(&count), "{count}");
    assert!(failures(&client, cause.name()) >= 1);
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_waits_on_a_connection_that_ends_is_in_doubt() {
    let mut server = Redis::start();
    let client = ready([server.url()]);
    server.pause();
    let mut waiting = under_way(&client, 50);
    server.kill();
    while let Some(outcome) = waiting.join_next().await {
        let (_, failure) = outcome.unwrap();
        let is_known = matches!(failure, Err(Failure::InDoubt(Cause::Unreachable)));
        assert!(is_known, "{failure:?}");
    }
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shard_takes_only_so_many_at_a_time() {
    let server = Redis::start();
    let client = ready([server.url()]);
    server.pause();
    let mut waiting = under_way(&client, IN_FLIGHT_MAX);
    let failure = add(&client, "key", 0).await;
    assert_eq!(failure, Err(Failure::NotRun(Cause::Crowded)));
    waiting.shutdown().await;
    server.resume();
    assert_eq!(add_in_the_end(&client, "other", 0).await, 1);
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_became_a_replica_is_down() {
    let (primary, server) = (Redis::start(), Redis::start());
    let client = ready([server.url()]);
    let port = primary.address().port().to_string();
    server.command(&["REPLICAOF", "127.0.0.1", &port]);
    for who in 0..5 {
        let failure = add(&client, "key", who).await;
        assert_eq!(failure, Err(Failure::NotRun(Cause::Moving)));
    }
    down(&client, &server.address().to_string());
    server.command(&["REPLICAOF", "NO", "ONE"]);
    all_up(&client);
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_server_is_down_until_there_is_room() {
    let server = Redis::start();
    let client = ready([server.url()]);
    server.command(&["CONFIG", "SET", "maxmemory", "1"]);
    let name = server.address().to_string();
    for who in 0..5 {
        let failure = add(&client, "key", who).await;
        assert_eq!(failure, Err(Failure::NotRun(Cause::Full)));
    }
    down(&client, &name);
    wait_for("a probe is refused", SOON, || {
        let trouble = client.health().shards.first()?.trouble.clone();
        trouble.filter(|trouble| trouble.contains("OOM"))
    });
    server.command(&["CONFIG", "SET", "maxmemory", "0"]);
    all_up(&client);
    assert_eq!(add(&client, "key", 1).await, Ok(1));
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_busy_with_the_script_of_somebody_else_is_down_until_it_ends() {
    let server = Setup::of(Program::Redis).line("busy-reply-threshold 20").start();
    let client = ready([server.url()]);
    let mut other = server.connect().unwrap();
    other.send(&["EVAL", "while true do end", "0"]).unwrap();
    let outcome = wait_for("it says that it is busy", SOON, || {
        let failure = tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(add(&client, "key", 1))
        });
        (failure == Err(Failure::NotRun(Cause::Busy))).then_some(failure)
    });
    assert_eq!(outcome, Err(Failure::NotRun(Cause::Busy)));
    for who in 0..5 {
        assert!(add(&client, "key", who).await.is_err());
    }
    down(&client, &server.address().to_string());
    server.command(&["SCRIPT", "KILL"]);
    all_up(&client);
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn late_decisions_open_the_breaker_and_probes_close_it() {
    let server = Redis::start();
    let (client, clock) = ready_by_hand([server.url()]);
    let shard = client.shard(Slot::of(b"key")).unwrap();
    for _ in 0..4 {
        shard.failed(Cause::Silent);
    }
    shard.succeeded();
    for _ in 0..4 {
        shard.failed(Cause::Silent);
    }
    assert!(shard.admits(99));
    // The heartbeat may succeed in between.
    wait_for("it opens", SOON, || {
        shard.failed(Cause::Silent);
        (!shard.admits(99)).then_some(())
    });
    let name = shard.name().to_owned();
    until(&client, &name, Standing::Returning(10));
    assert!(shard.admits(9) && !shard.admits(10), "a tenth is let in");
    all_up_later(&client, &clock);
    assert!(shard.admits(0) && shard.admits(99));
}
