//! An engine for tests, on a clock that is moved.

use std::sync::Arc;

use tollgate_core::ManualClock;
use tollgate_memory::MemoryStore;
use tollgate_rules::Live;

use super::{Engine, Time};
use crate::telemetry::Recorder;

impl Engine {
    /// Decides by these rules, as revision 1.
    pub(crate) fn of_rules(rules: &str) -> (Arc<Self>, ManualClock) {
        let live = Arc::new(Live::new());
        live.publish(&rules.parse().unwrap(), 1);
        Self::of_live(live)
    }

    /// Decides by what is published.
    pub(crate) fn of_live(live: Arc<Live>) -> (Arc<Self>, ManualClock) {
        let clock = ManualClock::start();
        let time = Time::new(clock.clone());
        let store = MemoryStore::with_capacity(10_000, time.clone());
        let engine = Self::new(live, store, time, Arc::new(Recorder::default()));
        (Arc::new(engine), clock)
    }
}
