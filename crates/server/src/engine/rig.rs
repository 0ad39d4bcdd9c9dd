//! An engine for tests, on a clock that is moved.

use std::{sync::Arc, time::Duration};

use tollgate_core::ManualClock;
use tollgate_memory::MemoryStore;
use tollgate_rules::Live;

use super::{Answer, Ask, CounterOp, Engine, Fleet, Refusal, Time, at_once};
use crate::{config::Redis, telemetry::Recorder};

impl Engine {
    /// Decides by these rules, as revision 1.
    pub(crate) fn of_rules(rules: &str) -> (Arc<Self>, ManualClock) {
        let live = Arc::new(Live::new());
        live.publish(&rules.parse().unwrap(), 1);
        Self::of_live(live)
    }

    /// Decides by these rules, with this much room for keys and for those that find none.
    pub(crate) fn of_rules_with_room(
        rules: &str,
        keys: usize,
        overflow_bytes: usize,
    ) -> (Arc<Self>, ManualClock) {
        let live = Arc::new(Live::new());
        live.publish(&rules.parse().unwrap(), 1);
        let clock = ManualClock::start();
        let time = Time::new(clock.clone());
        let store = MemoryStore::with_bounds(keys, overflow_bytes, time.clone());
        let engine = Self::new(live, store, time, Arc::new(Recorder::default()));
        (Arc::new(engine), clock)
    }

    /// Decides by these rules, over counters in a Redis where nobody listens.
    pub(crate) fn without_redis(rules: &str) -> Arc<Self> {
        let live = Arc::new(Live::new());
        live.publish(&rules.parse().unwrap(), 1);
        let time = Time::new(ManualClock::start());
        let store = Arc::new(MemoryStore::with_capacity(10_000, time.clone()));
        let redis = Redis {
            urls: vec!["redis://127.0.0.1:1".parse().unwrap()],
            ca: None,
            deadline: Duration::from_millis(5),
            prefix: "rl".to_owned(),
            leases: tollgate_redis::Leases::On,
        };
        let options = super::redis_options(&redis, "n1").unwrap();
        let fleet = Fleet::start(options, Arc::clone(&store), &time).unwrap();
        let engine = Self::new(live, store, time, Arc::new(Recorder::default()));
        Arc::new(engine.with_fleet(fleet))
    }

    /// Decides by what is published.
    pub(crate) fn of_live(live: Arc<Live>) -> (Arc<Self>, ManualClock) {
        let clock = ManualClock::start();
        let time = Time::new(clock.clone());
        let store = MemoryStore::with_capacity(10_000, time.clone());
        let engine = Self::new(live, store, time, Arc::new(Recorder::default()));
        (Arc::new(engine), clock)
    }

    /// What a node that counts alone answers without waiting.
    pub(crate) fn check_now(&self, ask: &Ask<'_>) -> Result<Answer, Refusal> {
        at_once(self.check(ask)).unwrap()
    }

    pub(crate) fn check_all_now(
        &self,
        asks: &[Ask<'_>],
        answered: impl FnMut(Result<Answer, Refusal>),
    ) {
        at_once(self.check_all(asks, answered)).unwrap();
    }

    pub(crate) fn inspect_now(&self, op: CounterOp<'_>, ask: &Ask<'_>) -> Result<Answer, Refusal> {
        at_once(self.inspect(op, ask)).unwrap()
    }
}
