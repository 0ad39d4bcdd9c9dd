//! Nodes that verify, on virtual time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::runtime::Runtime;
use tollgate_core::{CounterKey, Limit, ManualClock, RuleId, SystemClock};
use tollgate_testkit::{redis::Redis, wait_for};

use crate::{
    Options, Standing,
    client::Client,
    exact::Item,
    key::{Key, Name, Names},
    time::Time,
    verify::Verifier,
    virtual_time,
};

/// Longer than any machine stalls.
const LONG: Duration = Duration::from_secs(60);

static NEXT: AtomicU64 = AtomicU64::new(0);

/// A way to Redis on which scripts believe a clock.
pub(super) struct Desk {
    pub(super) client: Arc<Client>,
    pub(super) time: Time,
    pub(super) clock: ManualClock,
    pub(super) redis: Redis,
    runtime: Runtime,
}

impl Desk {
    pub(super) fn new() -> Self {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build().unwrap();
        let redis = Redis::start();
        let client = {
            let _within = runtime.enter();
            let options = Options::new([redis.url()]);
            Client::start(&options, Arc::new(SystemClock), LONG).unwrap()
        };
        wait_for("a Redis that is up", LONG, || {
            let shards = client.health().shards;
            let is_up = shards.iter().all(|shard| shard.standing == Standing::Up);
            (is_up && !shards.is_empty()).then_some(())
        });
        let clock = ManualClock::start();
        let time = Time {
            verify: &virtual_time::VERIFY,
            told: Some(Arc::new(clock.clone())),
            ..Time::of_redis()
        };
        Self { client, time, clock, redis, runtime }
    }

    pub(super) fn node(&self) -> Verifier {
        Verifier::new(Arc::new(self.clock.clone()))
    }

    pub(super) fn report(&self, node: &Verifier) {
        self.runtime.block_on(node.report(&self.client, &self.time));
    }

    pub(super) fn excuse(&self, node: &Verifier, item: Item) {
        self.runtime.block_on(node.excuse(&self.client, &self.time, &[item]));
    }
}

fn names() -> Names {
    Names { prefix: "rl".to_owned(), naming: |values, part| part("key", values) }
}

pub(super) fn key(value: &str, limit: &Limit) -> Key {
    let counter = CounterKey::new(RuleId::new(7), value.as_bytes());
    Name::new(counter, &names()).counter(limit.period())
}

/// A key of the sample that nobody had before.
pub(super) fn sampled(limit: &Limit) -> (Key, Item) {
    loop {
        let value = format!("k{}", NEXT.fetch_add(1, Relaxed));
        let key = key(&value, limit);
        if Verifier::samples(&key) {
            let counter = CounterKey::new(RuleId::new(7), value.as_bytes());
            let charge = tollgate_core::Charge::new(counter, limit, tollgate_core::Cost::ONE);
            return (key, Item::new(&charge, &names()));
        }
    }
}
