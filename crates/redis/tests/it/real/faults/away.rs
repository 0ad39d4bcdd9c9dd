//! Redis is not there.

use std::{net::TcpListener, sync::Mutex};

use tollgate_core::OnFailure;
use tollgate_redis::{Layout, Standing};
use tollgate_testkit::{
    free_address,
    redis::{Redis, Setup},
};

use super::{
    fleet::{Fleet, Rule, decide},
    load::Load,
    story::{UNITS, conclude, rules, tell},
};

/// One that forgets nothing when it is killed.
fn careful() -> Setup {
    let setup = Setup::default().line("appendonly yes");
    setup.line("appendfsync always")
}

// Proves: C6, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_redis_is_answered_for_by_the_policies_until_it_is_back() {
    let redis = careful().start();
    let fleet = Fleet::start([redis.url()]);
    let (address, redis) = (redis.address(), Mutex::new(redis));
    let kill = || redis.lock().unwrap().kill();
    let start = || redis.lock().unwrap().start_again();
    tell(&fleet, address, kill, start).await;
    assert!(fleet.failures("unreachable") > 0);
}

// Proves: C6, C2, C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_comes_back_empty_is_told_what_was_spent_without_it() {
    let redis = Redis::start();
    let fleet = Fleet::start([redis.url()]);
    let (address, redis) = (redis.address(), Mutex::new(redis));
    let kill = || redis.lock().unwrap().kill();
    let start = || redis.lock().unwrap().start_again();
    tell(&fleet, address, kill, start).await;
}

// Proves: C6, C2, C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_is_restarted_empty_again_and_again_is_told_what_was_spent() {
    let mut redis = Redis::start();
    let fleet = Fleet::start([redis.url()]);
    fleet.is_up();
    let load = Load::start(&fleet, rules());
    for _ in 0..3 {
        load.until_redis_decides();
        redis.restart();
    }
    conclude(&fleet, load).await;
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_starts_without_redis_and_finds_it_when_it_comes() {
    // The port of a server that was there before.
    let mut redis = careful().start();
    redis.kill();
    let fleet = Fleet::start([redis.url()]);
    for (rule, is_allowed) in rules().iter().zip([true, false, true]) {
        let verdict = decide(&fleet.nodes[0], &[rule.charge()]).await.unwrap();
        assert_eq!(verdict.is_allowed(), is_allowed, "{}", rule.policy.word());
        assert_eq!(verdict.fallback(), Some(rule.policy));
    }
    let health = fleet.nodes[0].health();
    assert_eq!(health.layout, Layout::Unknown);
    assert!(health.shards.iter().all(|shard| shard.standing == Standing::Down));

    let load = Load::start(&fleet, rules());
    load.until_policies_decide();
    redis.start_again();
    fleet.is_up();
    assert_eq!(fleet.nodes[0].health().layout, Layout::Single);
    load.until_spent();
    let seen = load.end().await;
    for (rule, counts) in &seen {
        // A node that has not heard of any other is the only one: its share is the whole limit.
        let (nodes, units) = (2, rule.limit.amount());
        match rule.policy {
            OnFailure::Local => assert!(counts.admitted_by_policy <= nodes * units, "{counts:?}"),
            OnFailure::Closed => assert_eq!(counts.admitted, units, "{counts:?}"),
            _ => assert_eq!(counts.denied_by_policy, 0, "{counts:?}"),
        }
    }
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_takes_connections_and_says_nothing_keeps_nobody_waiting() {
    let silent = TcpListener::bind(free_address()).unwrap();
    let fleet = Fleet::start([format!("redis://{}", silent.local_addr().unwrap())]);
    let load = Load::start(&fleet, rules());
    load.until_policies_decide();
    load.until_policies_decide();
    let seen = load.end().await;
    let closed = Rule::new("closed", UNITS, OnFailure::Closed);
    let answer = decide(&fleet.nodes[1], &[closed.charge()]).await.unwrap();
    assert!(!answer.is_allowed());
    assert!(seen.iter().all(|(_, counts)| counts.by_redis() == 0));
}
