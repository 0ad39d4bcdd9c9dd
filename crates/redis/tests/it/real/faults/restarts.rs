//! Nodes that are restarted, and servers that lose their memory.

use tollgate_core::OnFailure;
use tollgate_redis::{Ending, Journal};
use tollgate_testkit::redis::{Cluster, Redis};

use super::{
    cluster::users,
    doubt::{doubt, strangers_pass},
    fleet::{Fleet, Rule, decide},
    load::{Counts, Load},
};

/// So many are spent in the course of a story.
const UNITS: u64 = 400;

/// One of each kind whose overshoot is 0.
fn strict(user: &str) -> Vec<Rule> {
    let kinds = ["fixed_window", "sliding_window", "token_bucket", "sliding_log"];
    let rule = |kind: &str| Rule::by(kind, format!("{user}-{kind}"), UNITS, OnFailure::Closed);
    let leased = |kind: &str| {
        let name = format!("{user}-leased-{kind}");
        Rule::by(kind, name, UNITS, OnFailure::Closed).leased()
    };
    let exact = kinds.into_iter().map(rule);
    exact.chain(["fixed_window", "token_bucket"].map(leased)).collect()
}

/// A node ends, and another takes its place.
async fn restart(fleet: &mut Fleet, urls: &[String], ending: Option<Ending>) {
    let node = fleet.nodes.pop().unwrap();
    if ending == Some(Ending::Clean) {
        node.settle(super::fleet::LONG).await;
    }
    let journal = ending.map(|ending| Journal::read(&node.journal(ending)).unwrap());
    drop(node);
    let next = Fleet::patient_after(urls.iter().cloned(), journal.unwrap_or_default());
    fleet.nodes.extend(next.nodes);
}

/// What callers were admitted before and after, together.
fn is_within(seen: &[(Rule, Counts)], before: &[(Rule, Counts)]) {
    for ((rule, after), (_, before)) in seen.iter().zip(before) {
        let word = format!("{}: {before:?}, {after:?}", rule.name());
        assert_eq!(after.admitted_by_policy + before.admitted_by_policy, 0, "{word}");
        assert!(before.admitted + after.admitted <= UNITS, "{word}");
    }
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_were_restarted_with_their_journals_cost_nothing() {
    let mut redis = Redis::start();
    let urls = [redis.url()];
    let mut fleet = Fleet::patient_of(3, urls.clone());
    fleet.is_up();
    let load = Load::start(&fleet, strict("ann"));
    load.until_redis_decides();
    let before = load.end().await;
    // As in a rolling deploy, and the last one twice.
    for place in [0, 1, 2, 2] {
        fleet.nodes.swap(place, 2);
        restart(&mut fleet, &urls, Some(Ending::Clean)).await;
    }
    redis.restart();
    let load = Load::start(&fleet, strict("ann"));
    load.until("nothing left", |counts| counts.denied > 0);
    let after = load.end().await;
    is_within(&after, &before);
    let exact = after.iter().zip(&before).take(2);
    for ((rule, after), (_, before)) in exact {
        assert_eq!(before.admitted + after.admitted, UNITS, "{}", rule.name());
    }
    fleet.is_there();
    strangers_pass(&fleet, "stranger").await;
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lone_node_and_redis_that_both_restart_forget_nothing() {
    let mut redis = Redis::start();
    let urls = [redis.url()];
    let mut fleet = Fleet::patient_of(1, urls.clone());
    fleet.is_up();
    let spent = Rule::by("fixed_window", "spent", 1, OnFailure::Closed);
    assert!(fleet.decides(0, &spent).await.is_allowed());
    let node = fleet.nodes.pop().unwrap();
    let journal = Journal::read(&node.journal(Ending::Clean)).unwrap();
    drop(node);
    redis.restart();
    let fleet = Fleet::patient_after(urls, journal);
    assert!(!fleet.decides(0, &spent).await.is_allowed(), "it was spent before");
    fleet.is_there();
    strangers_pass(&fleet, "stranger").await;
}

/// A node ends, another comes, and Redis loses its memory: what the one that ended had spent is in doubt.
async fn is_awaited(ending: Option<Ending>) {
    let mut redis = Redis::start();
    let urls = [redis.url()];
    let mut fleet = Fleet::patient_of(2, urls.clone());
    fleet.is_up();
    let load = Load::start(&fleet, strict("ann"));
    load.until_redis_decides();
    let before = load.end().await;
    restart(&mut fleet, &urls, ending).await;
    fleet.is_there();
    redis.restart();
    fleet.wait("nodes that doubt", |node| doubt(node).is_some_and(|doubt| doubt.awaited == 1));
    fleet.is_there();
    let load = Load::start(&fleet, strict("ann"));
    load.until_policies_decide();
    is_within(&load.end().await, &before);

    // It lasts as long as was said: of a short window it is soon over, of the long one it is not.
    let brief = Rule {
        limit: tollgate_testkit::limit("1000000/2s fixed_window"),
        ..Rule::by("fixed_window", "brief", 1, OnFailure::Closed)
    };
    assert!(fleet.decides(0, &brief).await.is_allowed());
    let long = Rule::by("fixed_window", "long", 1, OnFailure::Closed);
    let verdict = decide(&fleet.nodes[0], &[long.charge()]).await.unwrap();
    assert!(!verdict.is_allowed() && verdict.fallback().is_some());
    assert!(doubt(&fleet.nodes[1]).is_some());
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_was_restarted_without_its_journal_is_awaited() {
    is_awaited(None).await;
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_was_killed_after_it_wrote_its_journal_is_awaited() {
    is_awaited(Some(Ending::Open)).await;
}

/// Which shard of a Cluster: the one that has the registry's slot, or another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Registry,
    Other,
}

async fn a_shard_comes_back_empty(which: Which) {
    let is_registry = which == Which::Registry;
    let mut cluster = Cluster::start();
    let fleet = Fleet::patient(cluster.urls());
    fleet.is_up();
    let exact = |user: &String| Rule::by("fixed_window", user.as_str(), UNITS, OnFailure::Closed);
    let users = users(&cluster);
    let leased = users.iter().map(|user| exact(user).leased());
    // Of the two users of each shard one is counted exactly, and one in slices.
    let both = users.iter().map(exact).zip(leased).enumerate();
    let rules: Vec<Rule> =
        both.map(|(place, (exact, leased))| [exact, leased][place % 2].clone()).collect();
    let load = Load::slow(&fleet, rules.clone());
    load.until_redis_decides();
    let before = load.end().await;
    let registry = cluster.node_of(cluster.slot_of(b"{tollgate}"));
    let is_lost = |shard: &usize| (cluster.primary(*shard) == registry) == is_registry;
    let shard = cluster.shards().find(is_lost).unwrap();
    let (primary, replica) = (cluster.primary(shard), cluster.replica(shard));
    cluster.kill(replica);
    cluster.kill(primary);
    cluster.start_again(primary);

    let load = Load::slow(&fleet, rules);
    load.until_redis_decides();
    let after = load.end().await;
    is_within(&after, &before);
    fleet.is_up();
    strangers_pass(&fleet, "stranger").await;
    // What was spent before is known again, of the shard that was lost as well.
    for ((rule, after), (_, before)) in after.iter().zip(&before) {
        let unspent = UNITS - before.admitted - after.admitted;
        assert!(fleet.left(rule).await <= unspent, "{}", rule.name());
    }
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_shard_with_the_fleets_own_keys_comes_back_empty() {
    a_shard_comes_back_empty(Which::Registry).await;
}

// Proves: C7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_shard_comes_back_empty() {
    a_shard_comes_back_empty(Which::Other).await;
}
