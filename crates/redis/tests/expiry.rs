//! How long Redis remembers: as long as something still counts, and not for ever.
#![allow(clippy::unwrap_used, reason = "a test: to panic is how it fails")]

use std::{sync::Arc, time::Duration};

use tollgate_core::{Charge, Cost, CounterKey, Limit, RuleId, Store as _, SystemClock};
use tollgate_memory::MemoryStore;
use tollgate_redis::{Leases, Options, RedisStore, Standing};
use tollgate_testkit::{limit, redis::Redis};

async fn store(server: &Redis) -> RedisStore<MemoryStore<SystemClock>> {
    let mut options = Options::new([server.url()]);
    options.leases = Leases::Off;
    options.deadline = Duration::from_secs(20);
    let local = MemoryStore::with_capacity(1_000, SystemClock);
    let store = RedisStore::start(options, local, Arc::new(SystemClock)).unwrap();
    let is_up = |store: &RedisStore<_>| {
        let shards = store.health().shards;
        !shards.is_empty() && shards.iter().all(|shard| shard.standing == Standing::Up)
    };
    while !is_up(&store) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    store
}

/// Milliseconds until the only counter of this key is forgotten.
fn left(server: &Redis, name: &str) -> i64 {
    let found = server.ask(&["KEYS", &format!("rl:{{key:{name}}}*")]).list();
    assert_eq!(found.len(), 1, "one counter of {name}");
    let key = found.into_iter().next().unwrap().bytes();
    server
        .command(&[b"PTTL".as_slice(), &key])
        .trim()
        .parse()
        .unwrap()
}

/// A counter under steady use, over several windows, always outlives what it has counted: one period at least.
// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_counter_in_use_is_never_forgotten() {
    let server = Redis::start();
    let store = store(&server).await;
    let names = ["bucket", "leaky", "fixed", "sliding", "log"];
    let limits: [Limit; 5] = [
        "1000/s burst 1000",
        "1000/s leaky_bucket burst 999",
        "1000/s fixed_window",
        "1000/s",
        "1000/s sliding_log",
    ]
    .map(limit);
    // Twenty-five steps of 200 ms: several windows, and several quarters of what a record lives.
    for step in 0..25 {
        for (name, limit) in names.iter().zip(&limits) {
            let key = CounterKey::new(RuleId::new(1), name.as_bytes());
            let charge = [Charge::new(key, limit, Cost::ONE)];
            assert!(store.charge(&charge).await.unwrap().is_allowed());
            let left = left(&server, name);
            assert!(left <= 2_000, "{name} is remembered for {left} ms");
            assert!(
                left > 900,
                "{name} is forgotten in {left} ms, at step {step}"
            );
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    tokio::time::sleep(Duration::from_millis(2_100)).await;
    assert_eq!(
        server.ask(&["KEYS", "rl:{key:*"]).list().len(),
        0,
        "nobody asks any more"
    );
}
