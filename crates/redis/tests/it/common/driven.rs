//! A store in tests: its runtime, its server, and a name space of its own.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::runtime::Runtime;
use tollgate_core::{Action, Charge, ImmediateStore, ManualClock, Store, StoreError, Verdict};
use tollgate_memory::MemoryStore;
use tollgate_redis::{Leases, Options, RedisStore, Standing};

/// Longer than any machine stalls.
const LONG: Duration = Duration::from_secs(60);

static NEXT: AtomicU64 = AtomicU64::new(0);

/// Options for these servers, with names that no other store of this process uses, and without hurry.
pub(crate) fn options(urls: &[String]) -> Options {
    let mut options = Options::new(urls.iter().cloned());
    options.prefix = format!("t{}", NEXT.fetch_add(1, Relaxed));
    options.deadline = LONG;
    options.leases = Leases::Off;
    options
}

/// A store on a runtime of its own, which whoever asks drives.
#[derive(Debug)]
pub(crate) struct Driven<S> {
    // Dropped in this order.
    pub(crate) store: S,
    runtime: Runtime,
}

impl<S> Driven<S> {
    /// What is made within the runtime.
    pub(crate) fn new(make: impl FnOnce() -> S) -> Self {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build().unwrap();
        let store = runtime.block_on(async { make() });
        Self { store, runtime }
    }
}

impl<L: ImmediateStore + 'static> Driven<RedisStore<L>> {
    /// Lets what is given back arrive: time stands still until then, as it nearly does in life.
    async fn settled(&self) {
        while self.store.stats().owing > 0 {
            tokio::task::yield_now().await;
        }
    }
}

impl<L: ImmediateStore + 'static> Store for Driven<RedisStore<L>> {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        self.runtime.block_on(async {
            let verdict = self.store.charge(charges).await;
            self.settled().await;
            verdict
        })
    }

    async fn inspect(&self, action: Action, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        self.runtime.block_on(self.store.inspect(action, charges))
    }
}

pub(crate) type Local = MemoryStore<ManualClock>;

/// A store on virtual time, once its servers have answered.
pub(crate) fn on_virtual_time(urls: &[String], clock: ManualClock) -> Driven<RedisStore<Local>> {
    let driven = Driven::new(|| {
        let local = MemoryStore::with_capacity(1_000, clock.clone());
        RedisStore::on_virtual_time(options(urls), local, Arc::new(clock)).unwrap()
    });
    driven.runtime.block_on(until_up(&driven.store));
    driven
}

/// Waits until every shard is asked.
pub(crate) async fn until_up<L: ImmediateStore + 'static>(store: &RedisStore<L>) {
    let is_up = || {
        let shards = store.health().shards;
        !shards.is_empty() && shards.iter().all(|shard| shard.standing == Standing::Up)
    };
    let waiting = async {
        while !is_up() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let up = tokio::time::timeout(LONG, waiting).await;
    assert!(up.is_ok(), "not up: {:?}", store.health());
}
