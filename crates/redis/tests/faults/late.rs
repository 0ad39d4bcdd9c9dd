//! Redis is there, and what it says comes late, in pieces, or never.

use std::time::Duration;

use tollgate_core::OnFailure;
use tollgate_testkit::{proxy::Proxy, redis::Redis, wait_for};

use crate::{
    fleet::{Fleet, LONG, Rule, decide},
    load::Load,
    story::{Memory, UNITS, conclude, rules, tell},
};

fn behind(proxy: &Proxy) -> Fleet {
    Fleet::start([format!("redis://{}", proxy.addr())])
}

// Proves: C6, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hung_redis_is_answered_for_by_the_policies_until_it_goes_on() {
    let redis = Redis::start();
    let fleet = Fleet::start([redis.url()]);
    let pause = || redis.pause();
    tell(&fleet, redis.address(), Memory::Kept, pause, || {
        redis.resume()
    })
    .await;
    assert!(fleet.failures("silent") > 0);
}

// Proves: C6, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_is_200_ms_late_is_answered_for_by_the_policies() {
    let redis = Redis::start();
    let proxy = Proxy::to(redis.address());
    let fleet = behind(&proxy);
    fleet.is_up();
    let load = Load::start(&fleet, rules());
    load.until_redis_decides();

    proxy.slow(Duration::from_millis(200));
    load.until_policies_decide();
    fleet.wait("decisions that do not wait any longer", |node| {
        node.stats().late > 0
    });
    load.until("all that may be spent meanwhile", |counts| {
        counts.denied_by_policy > 0 || counts.admitted_by_policy > UNITS
    });

    proxy.flow();
    conclude(&fleet, load, Memory::Kept).await;
}

// Proves: C6, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_is_half_open_is_given_up_for_a_new_one() {
    let redis = Redis::start();
    let proxy = Proxy::to(redis.address());
    let fleet = behind(&proxy);
    // What Redis says arrives nowhere; what it is told, it does.
    tell(
        &fleet,
        proxy.addr(),
        Memory::Kept,
        || proxy.mute(),
        || proxy.flow(),
    )
    .await;
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_are_cut_again_and_again_cost_nobody_a_unit() {
    let redis = Redis::start();
    let proxy = Proxy::to(redis.address());
    let fleet = behind(&proxy);
    fleet.is_up();
    let load = Load::start(&fleet, vec![Rule::new("strict", UNITS, OnFailure::Closed)]);
    for _ in 0..5 {
        load.until_redis_decides();
        proxy.cut();
    }
    conclude(&fleet, load, Memory::Kept).await;
}

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_that_come_byte_by_byte_are_replies() {
    let redis = Redis::start();
    let proxy = Proxy::to(redis.address());
    proxy.crumble();
    let fleet = behind(&proxy);
    fleet.is_up();
    let load = Load::start(&fleet, rules());
    conclude(&fleet, load, Memory::Kept).await;
    for cause in ["foreign", "other"] {
        assert_eq!(fleet.failures(cause), 0, "{cause}");
    }
}

/// The reply to a charge is lost after Redis has done it, and the policy answers.
async fn lose_a_reply(policy: OnFailure) -> bool {
    let redis = Redis::start();
    let proxy = Proxy::to(redis.address());
    let fleet = behind(&proxy);
    fleet.is_up();
    let rule = Rule::new("somebody", 10, policy);
    let first = decide(&fleet.nodes[0], &[rule.charge()]).await.unwrap();
    assert_eq!(first.fallback(), None);
    assert_eq!(fleet.left(&rule).await, 9);

    // The name of the counter is in no call but those on it.
    proxy.drop_reply_to(b"{user:somebody}");
    let lost = decide(&fleet.nodes[0], &[rule.charge()]).await.unwrap();
    assert_eq!(
        lost.fallback(),
        Some(policy),
        "it is not known what Redis did"
    );
    assert_eq!(proxy.replies_dropped(), 1);
    let is_allowed = lost.is_allowed();
    fleet.is_up();
    wait_for("a second connection", LONG, || {
        (proxy.connections() >= 2).then_some(())
    });
    fleet.settle().await;
    let left = fleet.left(&rule).await;
    assert_eq!(
        left,
        if is_allowed { 8 } else { 9 },
        "charged once, or not at all"
    );
    is_allowed
}

// Proves: C6, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_charge_whose_reply_was_lost_is_taken_back_if_the_policy_denied() {
    assert!(!lose_a_reply(OnFailure::Closed).await);
}

// Proves: C6, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_charge_whose_reply_was_lost_is_charged_once_if_the_policy_allowed() {
    for policy in [OnFailure::Open, OnFailure::Local] {
        assert!(lose_a_reply(policy).await);
    }
}
