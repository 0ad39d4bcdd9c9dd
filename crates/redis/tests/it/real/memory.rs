//! What a key costs in Redis, and for how long: the numbers of docs/reference/redis.md.

use std::{sync::Arc, time::Duration};

use tollgate_core::{
    Charge, Consistency, Cost, CounterKey, Limit, OnFailure, Policy, RuleId, Store as _,
    SystemClock,
};
use tollgate_memory::MemoryStore;
use tollgate_redis::{Leases, Options, RedisStore};
use tollgate_testkit::{limit, redis::Redis};

use crate::common::until_up;

const PAGE: &str = include_str!("../../../../../docs/reference/redis.md");
const LONG: Duration = Duration::from_secs(60);
/// Twice the window: as long as any counter of these limits is kept.
const TTL_MS_MAX: i64 = 2 * 3_600_000;
/// Of the register of processes: a tenth longer, since months are.
const REGISTER_TTL_MS_MAX: i64 = TTL_MS_MAX + TTL_MS_MAX / 10 + 2_000;

/// Each algorithm as the page names it, with a limit of an hour.
const LIMITS: [(&str, &str); 5] = [
    ("token_bucket", "1000/h token_bucket burst 1000"),
    ("leaky_bucket", "1000/h leaky_bucket burst 999"),
    ("fixed_window", "1000/h fixed_window"),
    ("sliding_window", "1000/h sliding_window"),
    ("sliding_log", "1000/h sliding_log"),
];

type Node = RedisStore<MemoryStore<SystemClock>>;

async fn node(server: &Redis, leases: Leases) -> Node {
    let mut options = Options::new([server.url()]);
    (options.deadline, options.leases) = (LONG, leases);
    let local = MemoryStore::with_capacity(1_000, SystemClock);
    let node = RedisStore::start(options, local, Arc::new(SystemClock)).unwrap();
    until_up(&node).await;
    node
}

fn charge<'c>(name: &'c str, limit: &'c Limit, consistency: Consistency) -> Charge<'c> {
    let key = CounterKey::new(RuleId::new(1), name.as_bytes());
    Charge::new(key, limit, Cost::ONE).under(Policy { consistency, on_failure: OnFailure::Closed })
}

/// The bytes of the only counter of this key.
fn bytes(server: &Redis, name: &str) -> u64 {
    let pattern = format!("rl:{{key:{name}}}*h");
    let found = server.ask(&["KEYS", &pattern]).list();
    assert_eq!(found.len(), 1, "one counter of {name}");
    let key = found.into_iter().next().unwrap().bytes();
    let words: [&[u8]; 3] = [b"MEMORY", b"USAGE", &key];
    server.command(&words).parse().unwrap()
}

/// What the page says of an algorithm, in this column.
fn printed(algorithm: &str, column: usize) -> u64 {
    let row = format!("| `{algorithm}` | ");
    let table = PAGE.split_once("## Memory").unwrap().1;
    let line = table.lines().find(|line| line.starts_with(&row)).unwrap();
    let cell = line.split('|').nth(column + 2).unwrap().trim();
    cell.parse().unwrap()
}

#[track_caller]
fn is_as_printed(algorithm: &str, measured: u64, printed: u64) {
    let fits = (printed / 2..=printed).contains(&measured);
    assert!(fits, "{algorithm} takes {measured} bytes, and the page says {printed}");
}

/// Nothing in this server stays for ever.
fn everything_ends(server: &Redis) {
    let keys = server.ask(&["KEYS", "*"]).list();
    assert!(!keys.is_empty());
    for key in keys {
        let key = key.bytes();
        let shown = String::from_utf8_lossy(&key).into_owned();
        let ttl = server.command(&[b"PTTL".as_slice(), &key]);
        let ttl = ttl.parse::<i64>().unwrap();
        let most = match shown.ends_with(":processes") {
            true => REGISTER_TTL_MS_MAX,
            false => TTL_MS_MAX,
        };
        // -2 is a key that has ended meanwhile.
        let ends = ttl == -2 || (0..=most).contains(&ttl);
        assert!(ends, "{shown} ends in {ttl} ms");
    }
}

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_counter_takes_what_the_page_says_and_ends() {
    let server = Redis::start();
    let node = node(&server, Leases::Off).await;
    for (algorithm, text) in LIMITS {
        let limit = limit(text);
        let one = charge(algorithm, &limit, Consistency::Exact);
        assert!(node.charge(&[one]).await.unwrap().is_allowed());
        let first = bytes(&server, algorithm);
        is_as_printed(algorithm, first, printed(algorithm, 0));
        for _ in 0..99 {
            assert!(node.charge(&[one]).await.unwrap().is_allowed());
        }
        // Only a log grows with what it has admitted.
        let grown = bytes(&server, algorithm) - first;
        let each = printed(algorithm, 1);
        assert!(grown <= 99 * each + 64, "{algorithm} grows by {grown} bytes for 99 admissions");
    }
    everything_ends(&server);
}

// Proves: C3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leased_counter_ends_as_well() {
    let server = Redis::start();
    let node = node(&server, Leases::On).await;
    let leased: Vec<(&str, Limit)> = LIMITS
        .iter()
        .map(|(algorithm, text)| (*algorithm, limit(text)))
        .filter(|(_, limit)| limit.refresh().is_ok())
        .collect();
    let waiting = async {
        while node.stats().leases.keys < u64::try_from(leased.len()).unwrap() {
            for (name, limit) in &leased {
                let charge = [charge(name, limit, Consistency::Leased)];
                assert!(node.charge(&charge).await.is_ok());
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let all = tokio::time::timeout(LONG, waiting).await;
    assert!(all.is_ok(), "{:?}", node.stats().leases);
    for (algorithm, _) in &leased {
        is_as_printed(algorithm, bytes(&server, algorithm), printed(algorithm, 2));
    }
    everything_ends(&server);
}
