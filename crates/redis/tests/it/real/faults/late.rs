//! Redis is there, and what it says comes late, in pieces, or never.

use std::time::Duration;

use tollgate_core::OnFailure;
use tollgate_testkit::{proxy::Proxy, redis::Redis, wait_for};

use super::{
    fleet::{Fleet, LONG, Rule, decide},
    load::Load,
    story::{UNITS, conclude, rules, tell},
};

/// All but the leaky bucket, which admits one at once and counts as the token bucket does.
const ALGORITHMS: [&str; 4] = ["token_bucket", "fixed_window", "sliding_window", "sliding_log"];

fn behind(proxy: &Proxy) -> Fleet {
    Fleet::start([format!("redis://{}", proxy.addr())])
}

// Proves: C6, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hung_redis_is_answered_for_by_the_policies_until_it_goes_on() {
    let redis = Redis::start();
    let fleet = Fleet::start([redis.url()]);
    let pause = || redis.pause();
    tell(&fleet, redis.address(), pause, || redis.resume()).await;
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
    fleet.wait("decisions that do not wait any longer", |node| node.stats().late > 0);
    load.until("all that may be spent meanwhile", |counts| {
        counts.denied_by_policy > 0 || counts.admitted_by_policy > UNITS
    });

    proxy.flow();
    conclude(&fleet, load).await;
}

// Proves: C6, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_is_half_open_is_given_up_for_a_new_one() {
    let redis = Redis::start();
    let proxy = Proxy::to(redis.address());
    let fleet = behind(&proxy);
    // What Redis says arrives nowhere; what it is told, it does.
    tell(&fleet, proxy.addr(), || proxy.mute(), || proxy.flow()).await;
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
    conclude(&fleet, load).await;
}

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_that_come_byte_by_byte_are_replies() {
    let redis = Redis::start();
    let proxy = Proxy::to(redis.address());
    proxy.crumble();
    // Replies of so many pieces take their time.
    let fleet = Fleet::patient([format!("redis://{}", proxy.addr())]);
    fleet.is_up();
    let mut rules = rules();
    // A log of hundreds is too long a reply for that.
    rules.retain(|rule| rule.name() != "sliding_log");
    let load = Load::start(&fleet, rules);
    conclude(&fleet, load).await;
    for cause in ["foreign", "other"] {
        assert_eq!(fleet.failures(cause), 0, "{cause}");
    }
}

/// The reply to a charge is lost after Redis has done it, and the policy answers: by every algorithm.
async fn lose_replies(policy: OnFailure) {
    let redis = Redis::start();
    let proxy = Proxy::to(redis.address());
    let fleet = behind(&proxy);
    for (count, algorithm) in (1..).zip(ALGORITHMS) {
        let rule = Rule::by(algorithm, algorithm, 10, policy);
        fleet.is_up();
        decide(&fleet.nodes[0], &[rule.charge()]).await.unwrap();
        fleet.settle().await;
        // On a machine that stalls it may be down again.
        fleet.is_up();
        let before = fleet.left(&rule).await;

        // The name of the counter is in no call but those on it.
        proxy.drop_reply_to(format!("{{user:{algorithm}}}").as_bytes());
        let lost = decide(&fleet.nodes[0], &[rule.charge()]).await.unwrap();
        let told = lost.fallback();
        assert_eq!(told, Some(policy), "it is not known what Redis did");
        wait_for("the loss of the reply", LONG, || {
            (proxy.replies_dropped() == count).then_some(())
        });
        assert_eq!(lost.is_allowed(), policy != OnFailure::Closed);

        fleet.is_up();
        fleet.settle().await;
        let spent = u64::from(lost.is_allowed());
        let left = fleet.left(&rule).await;
        assert_eq!(left, before - spent, "{algorithm}: charged once, or not at all");
    }
}

// Proves: C6, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_charge_whose_reply_was_lost_is_taken_back_if_the_policy_denied() {
    lose_replies(OnFailure::Closed).await;
}

// Proves: C6, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_charge_whose_reply_was_lost_is_charged_once_if_the_policy_allowed() {
    lose_replies(OnFailure::Open).await;
    lose_replies(OnFailure::Local).await;
}

/// A counter whose reply was lost, and one whose algorithm has changed meanwhile, are settled in one call: neither
/// keeps the other from it.
// Proves: C6, D14
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_reply_beside_a_changed_limit_is_cleared_up() {
    let redis = Redis::start();
    let proxy = Proxy::to(redis.address());
    let fleet = behind(&proxy);
    fleet.is_up();
    let lost = Rule::by("token_bucket", "lost", 10, OnFailure::Open);
    let old = Rule::by("fixed_window", "changed", 10, OnFailure::Open);
    let new = Rule::by("sliding_log", "changed", 10, OnFailure::Open);
    decide(&fleet.nodes[0], &[old.charge()]).await.unwrap();

    proxy.drop_reply_to(b"{user:lost}");
    let first = decide(&fleet.nodes[0], &[lost.charge()]).await.unwrap();
    assert_eq!(first.fallback(), Some(OnFailure::Open));
    let both = [lost.charge(), new.charge()];
    assert!(decide(&fleet.nodes[0], &both).await.unwrap().is_allowed());

    fleet.is_up();
    fleet.settle().await;
    assert_eq!(fleet.left(&lost).await, 8, "both charges count, once");
    assert_eq!(fleet.left(&new).await, 8, "that under the old limit, too");
}
