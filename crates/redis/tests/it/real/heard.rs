//! Redis has said that nothing is left, and is then silent or gone: until the time that it said, no policy admits.

use std::{sync::Arc, time::Duration};

use tollgate_core::{
    Action, Charge, Consistency, Cost, CounterKey, Limit, ManualClock, OnFailure, Policy, RuleId,
    Store as _, Timestamp, Verdict,
};
use tollgate_memory::MemoryStore;
use tollgate_redis::{Leases, Options, RedisStore, Standing};
use tollgate_testkit::{limit, redis::Redis};

use crate::common::until_up;

type Node = RedisStore<MemoryStore<ManualClock>>;

const LONG: Duration = Duration::from_secs(60);
const START: u64 = 1_767_268_800;

/// Each algorithm with a limit of six and a wait that is known.
const LIMITS: [&str; 5] = [
    "6/h token_bucket burst 6",
    "6/h leaky_bucket burst 5",
    "6/h fixed_window",
    "6/h",
    "6/h sliding_log",
];
const POLICIES: [OnFailure; 2] = [OnFailure::Open, OnFailure::Local];

/// A node whose decisions wait for Redis as long as it takes, as far as Redis is there.
async fn node(redis: &Redis, clock: &ManualClock, leases: Leases) -> Node {
    let mut options = Options::new([redis.url()]);
    (options.deadline, options.leases) = (LONG, leases);
    let local = MemoryStore::with_capacity(1_000, clock.clone());
    let node = RedisStore::on_virtual_time(options, local, Arc::new(clock.clone())).unwrap();
    until_up(&node).await;
    node
}

async fn until_down(node: &Node) {
    let is_down = || {
        let shards = node.health().shards;
        shards.iter().all(|shard| shard.standing != Standing::Up)
    };
    let waiting = async {
        while !is_down() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    assert!(tokio::time::timeout(LONG, waiting).await.is_ok());
}

struct Case {
    name: String,
    limit: Limit,
    policy: Policy,
}

impl Case {
    /// Every algorithm under every policy.
    fn all(consistency: Consistency) -> Vec<Self> {
        let case = |text: &str, on_failure| Self {
            name: format!("{text} {on_failure:?}"),
            limit: limit(text),
            policy: Policy { consistency, on_failure },
        };
        let pairs = LIMITS.iter();
        let pairs = pairs.flat_map(|text| POLICIES.map(|policy| (*text, policy)));
        pairs.map(|(text, policy)| case(text, policy)).collect()
    }

    fn charge(&self) -> Charge<'_> {
        let key = CounterKey::new(RuleId::new(7), self.name.as_bytes());
        Charge::new(key, &self.limit, Cost::ONE).under(self.policy)
    }

    async fn ask(&self, node: &Node) -> Verdict {
        node.charge(&[self.charge()]).await.unwrap()
    }

    /// Asks until Redis denies; says for how long.
    async fn exhaust(&self, node: &Node) -> Duration {
        for _ in 0..20 {
            let verdict = self.ask(node).await;
            if !verdict.is_allowed() {
                assert_eq!(verdict.fallback(), None, "{}", self.name);
                return verdict.binding().retry_after().unwrap();
            }
        }
        panic!("{} has no end", self.name);
    }
}

/// Exhausts all keys, loses Redis, and asks until and after the time that was heard.
async fn denies_until_the_time_heard(consistency: Consistency, leases: Leases) {
    let mut redis = Redis::start();
    let clock = ManualClock::at(Timestamp::from_secs(START));
    let node = node(&redis, &clock, leases).await;
    let cases = Case::all(consistency);
    let mut waits = Vec::new();
    for case in &cases {
        waits.push(case.exhaust(&node).await);
    }
    redis.kill();
    until_down(&node).await;
    let shortest = *waits.iter().min().unwrap();
    let longest = *waits.iter().max().unwrap();
    // Longer than a denial of a lease is believed, and shorter than the first that was heard.
    for part in [0, 2] {
        clock.advance(shortest / 4 * part);
        for case in &cases {
            let verdict = case.ask(&node).await;
            assert!(
                !verdict.is_allowed(),
                "{} after {part}/4 of {shortest:?}: {verdict:?} {waits:?}",
                case.name
            );
            // A lease may know it by itself.
            if consistency == Consistency::Exact {
                assert!(verdict.fallback().is_some(), "{}", case.name);
                assert!(verdict.binding().retry_after().unwrap() > shortest / 4);
            }
        }
    }
    clock.advance(longest);
    for case in &cases {
        let verdict = case.ask(&node).await;
        assert!(verdict.is_allowed(), "{} at its time", case.name);
    }
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_policy_admits_what_redis_has_just_denied() {
    denies_until_the_time_heard(Consistency::Exact, Leases::Off).await;
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nor_do_leases_forget_it() {
    denies_until_the_time_heard(Consistency::Leased, Leases::On).await;
}

/// After a reset nothing that was heard before counts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reset_ends_what_was_heard() {
    let mut redis = Redis::start();
    let clock = ManualClock::at(Timestamp::from_secs(START));
    let node = node(&redis, &clock, Leases::Off).await;
    let cases = Case::all(Consistency::Exact);
    for case in &cases {
        case.exhaust(&node).await;
        let reset = node.inspect(Action::Reset, &[case.charge()]).await;
        assert!(reset.is_ok(), "{}", case.name);
    }
    redis.kill();
    until_down(&node).await;
    for case in &cases {
        assert!(case.ask(&node).await.is_allowed(), "{}", case.name);
    }
}
