//! One node.

use tokio::time::Instant;
use tollgate_core::{
    Action, Charge, Consistency, Cost, CounterKey, Limit, OnFailure, Policy, RuleId, Store as _,
};
use tollgate_testkit::{limit, redis::Redis};

use super::fleet::{LONG, Node, ask, fleet};

/// More than any of the limits below.
const MANY: u64 = 60_000;

fn charge<'a>(user: &'a str, limit: &'a Limit, cost: u64) -> Charge<'a> {
    let key = CounterKey::new(RuleId::new(7), user.as_bytes());
    Charge::new(key, limit, Cost::new(cost))
        .under(Policy { consistency: Consistency::Leased, on_failure: OnFailure::Closed })
}

/// How many of so many pass.
async fn pass(node: &Node, user: &str, limit: &Limit, asked: u64) -> u64 {
    let mut admitted = 0;
    for turn in 0..asked {
        admitted += u64::from(ask(node, user, limit, 1).await.is_allowed());
        if turn % 50 == 0 {
            tokio::task::yield_now().await;
        }
    }
    admitted
}

/// All of a limit is spent, but for leases that ended while the machine had no time for this test.
fn assert_used_up(admitted: u64, limit: u64, node: &Node, what: &str) {
    let burnt = node.stats().leases.burnt;
    let is_used_up = admitted <= limit && admitted + burnt >= limit;
    assert!(is_used_up, "{what}: {admitted} of {limit}, {burnt} burnt");
}

// Proves: C3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_key_is_served_from_memory_to_the_last_unit() {
    let redis = Redis::start();
    let node = fleet(&[redis.url()], 1).pop().unwrap();
    for (user, text) in
        [("f", "20000/month fixed_window"), ("s", "20000/month"), ("b", "20000/month burst 20000")]
    {
        let limit = limit(text);
        let before = node.stats();
        let admitted = pass(&node, user, &limit, MANY).await;
        assert_used_up(admitted, 20_000, &node, text);
        let after = node.stats();
        let asked = after.calls + after.leases.calls - before.calls - before.leases.calls;
        assert!(asked < MANY / 50, "{text}: {asked} calls to Redis");
    }
}

/// Asks for what is left. Only a machine that is too busy to ask Redis within the deadline makes a policy answer instead.
async fn get(node: &Node, user: &str, limit: &Limit, cost: u64) {
    let deadline = Instant::now() + LONG;
    loop {
        let verdict = ask(node, user, limit, cost).await;
        if verdict.is_allowed() {
            return;
        }
        let is_late = verdict.fallback().is_some() && Instant::now() < deadline;
        assert!(is_late, "{limit:?}: {cost} of what is left");
    }
}

// Proves: C3, D5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_node_holds_is_not_in_the_way_of_its_own_requests() {
    let redis = Redis::start();
    let node = fleet(&[redis.url()], 1).pop().unwrap();
    for (user, text) in
        [("f", "100/month fixed_window"), ("s", "100/month"), ("b", "100/month burst 100")]
    {
        let limit = limit(text);
        for cost in [10, 10, 30, 30, 20] {
            get(&node, user, &limit, cost).await;
        }
        assert!(!ask(&node, user, &limit, 1).await.is_allowed(), "{text}");
        let never = ask(&node, user, &limit, 101).await;
        assert_eq!((never.is_allowed(), never.binding().retry_after()), (false, None));
    }
}

// Proves: D11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_of_more_than_was_used_lifts_nothing_above_the_limit() {
    let redis = Redis::start();
    let node = fleet(&[redis.url()], 1).pop().unwrap();
    for (user, text) in
        [("f", "1000/month fixed_window"), ("s", "1000/month"), ("b", "1000/month burst 1000")]
    {
        let limit = limit(text);
        assert_eq!(pass(&node, user, &limit, 400).await, 400, "{text}");
        let much = charge(user, &limit, 100_000);
        node.inspect(Action::Refund, &[much]).await.unwrap();
        let again = pass(&node, user, &limit, 3_000).await;
        assert!(again <= 1_000, "{text}: {again} after a refund of all");
        assert!(again >= 500, "{text}: {again} after a refund of all");
    }
}

// Proves: D4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_one_limit_denies_takes_nothing_from_a_leased_one() {
    let redis = Redis::start();
    let node = fleet(&[redis.url()], 1).pop().unwrap();
    let (wide, narrow) = (limit("5000/month fixed_window"), limit("100/day sliding_log"));
    let both = [charge("w", &wide, 1), charge("n", &narrow, 1)];
    let mut admitted = 0;
    for _ in 0..2_000 {
        let verdict = node.charge(&both).await.unwrap();
        admitted += u64::from(verdict.is_allowed());
    }
    assert_eq!(admitted, 100);
    let rest = pass(&node, "w", &wide, 10_000).await;
    assert_used_up(rest, 4_900, &node, "the rest");
}
