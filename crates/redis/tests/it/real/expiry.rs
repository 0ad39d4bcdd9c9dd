//! How long Redis remembers: as long as something still counts, and not for ever.

use std::{sync::Arc, time::Duration};

use tollgate_core::{Charge, Cost, CounterKey, Limit, RuleId, Store as _, SystemClock};
use tollgate_memory::MemoryStore;
use tollgate_redis::{Leases, Options, RedisStore};
use tollgate_testkit::{limit, redis::Redis, wait_for};

use crate::common::until_up;

const LONG: Duration = Duration::from_secs(60);
/// How long everything counts that is counted here.
const PERIOD_MS: i64 = 1_000;

async fn store(server: &Redis) -> RedisStore<MemoryStore<SystemClock>> {
    let mut options = Options::new([server.url()]);
    options.leases = Leases::Off;
    options.deadline = LONG;
    let local = MemoryStore::with_capacity(1_000, SystemClock);
    let store = RedisStore::start(options, local, Arc::new(SystemClock)).unwrap();
    until_up(&store).await;
    store
}

/// The time of the server in milliseconds.
fn now_ms(server: &Redis) -> i64 {
    let time = server.command(&["TIME"]);
    let (secs, micros) = time.split_once('\n').unwrap();
    secs.parse::<i64>().unwrap() * 1_000 + micros.parse::<i64>().unwrap() / 1_000
}

/// When the only counter of this key is forgotten, by the same time; nothing if it was.
fn forgotten_at_ms(server: &Redis, name: &str) -> Option<i64> {
    let found = server.ask(&["KEYS", &format!("rl:{{key:{name}}}*")]).list();
    assert!(found.len() <= 1, "one counter of {name}");
    let key = found.into_iter().next()?.bytes();
    let at = server.command(&[b"PEXPIRETIME".as_slice(), &key]);
    let at = at.parse::<i64>().unwrap();
    assert_ne!(at, -1, "{name} is never forgotten");
    Some(at).filter(|at| *at > 0)
}

/// A counter under steady use, over several windows, always outlives what it has counted: one period at least. All by
/// the server's clock, so that it does not matter how long this test is kept waiting.
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
    let start = now_ms(&server);
    // Several windows, and several quarters of what a record lives.
    while now_ms(&server) < start + 4 * PERIOD_MS {
        for (name, limit) in names.iter().zip(&limits) {
            let key = CounterKey::new(RuleId::new(1), name.as_bytes());
            let charge = [Charge::new(key, limit, Cost::ONE)];
            let before = now_ms(&server);
            let verdict = store.charge(&charge).await.unwrap();
            assert!(verdict.is_allowed());
            let forgotten = forgotten_at_ms(&server, name);
            let after = now_ms(&server);
            if verdict.fallback().is_some() {
                // Redis has not answered for a second.
                continue;
            }
            let Some(forgotten) = forgotten else {
                let looked_after = after - before;
                assert!(looked_after >= PERIOD_MS, "{name} is forgotten within {looked_after} ms");
                continue;
            };
            // It was charged at some moment between the two.
            let (most, least) = (forgotten - before, forgotten - after);
            assert!(most >= PERIOD_MS, "{name} is forgotten in {most} ms");
            assert!(least <= 2 * PERIOD_MS, "{name} is remembered for {least} ms");
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    wait_for("counters that are forgotten", LONG, || {
        let known = server.ask(&["KEYS", "rl:{key:*"]).list();
        known.is_empty().then_some(())
    });
}
