//! Counters that a fleet shares through Redis.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use tollgate_core::{Action, Charge, ImmediateStore as _, OnFailure, Store, StoreError, Verdict};
use tollgate_memory::MemoryStore;
use tollgate_redis::{Leases, RedisStore};

use super::Time;
use crate::telemetry::FleetReading;

/// The shared counters. A decision always comes of them.
#[derive(Debug)]
pub(crate) struct Fleet {
    redis: RedisStore<Arc<MemoryStore<Time>>>,
    leases: Leases,
    /// Decisions that came to nothing, although policies are there to prevent it.
    faults: AtomicU64,
}

impl Fleet {
    pub(crate) const fn new(redis: RedisStore<Arc<MemoryStore<Time>>>, leases: Leases) -> Self {
        Self {
            redis,
            leases,
            faults: AtomicU64::new(0),
        }
    }

    /// The way to Redis.
    pub(crate) const fn redis(&self) -> &RedisStore<Arc<MemoryStore<Time>>> {
        &self.redis
    }

    /// Whether slices are leased at all.
    pub(crate) const fn leases(&self) -> Leases {
        self.leases
    }

    /// What metrics tell of it.
    pub(crate) fn reading(&self) -> FleetReading {
        FleetReading {
            stats: self.redis.stats(),
            health: self.redis.health(),
            faults: self.faults.load(Relaxed),
        }
    }
}

impl Store for Fleet {
    /// The shared store answers by a policy when it cannot ask, so an error is a defect of ours. Nobody is
    /// let through or turned away for that unseen: this node counts, says so, and the metric tells.
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        match self.redis.charge(charges).await {
            Ok(verdict) => Ok(verdict),
            Err(error) => {
                if self.faults.fetch_add(1, Relaxed) == 0 {
                    tracing::error!(%error, "The shared counters gave no decision; this node counts by itself.");
                }
                let verdict = self.redis.local().charge_now(charges);
                Ok(verdict.by_policy(OnFailure::Local))
            }
        }
    }

    async fn inspect(&self, action: Action, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        self.redis.inspect(action, charges).await
    }
}
