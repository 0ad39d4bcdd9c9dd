//! Where decisions are counted: on this node alone, or in counters that a fleet shares through Redis.

use std::{
    fs, io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use futures_util::future::join_all;
use tokio::time::{sleep, timeout};
use tollgate_core::{Action, Charge, ImmediateStore as _, OnFailure, Store, StoreError, Verdict};
use tollgate_memory::MemoryStore;
use tollgate_redis::{Layout, Leases, Options, OptionsError, RedisStore};
use tollgate_rules::key_parts;

use super::Time;
use crate::{config::Redis, telemetry::FleetReading};

/// The counters of a node.
#[derive(Debug)]
pub(crate) enum Counters {
    /// In its memory: they answer at once.
    Alone(Arc<MemoryStore<Time>>),
    /// Shared with other nodes: they may have to be waited for.
    Fleet(Fleet),
}

impl Counters {
    /// What this node counts by itself.
    pub(super) fn local(&self) -> &MemoryStore<Time> {
        match self {
            Self::Alone(memory) => memory,
            Self::Fleet(fleet) => fleet.redis.local(),
        }
    }
}

impl Store for Counters {
    #[inline]
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        match self {
            Self::Alone(memory) => Ok(memory.charge_now(charges)),
            Self::Fleet(fleet) => fleet.charge(charges).await,
        }
    }

    async fn inspect(&self, action: Action, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        match self {
            Self::Alone(memory) => Ok(memory.inspect_now(action, charges)),
            Self::Fleet(fleet) => fleet.redis.inspect(action, charges).await,
        }
    }

    async fn charge_batch(
        &self,
        requests: &[&[Charge<'_>]],
        verdicts: &mut Vec<Result<Verdict, StoreError>>,
    ) {
        match self {
            Self::Alone(memory) => memory.charge_batch(requests, verdicts).await,
            Self::Fleet(fleet) => {
                let all = requests.iter().map(|charges| fleet.charge(charges));
                verdicts.extend(join_all(all).await);
            }
        }
    }
}

/// The shared counters. A decision always comes of them.
#[derive(Debug)]
pub(crate) struct Fleet {
    redis: RedisStore<Arc<MemoryStore<Time>>>,
    leases: Leases,
    /// Decisions that came to nothing, although policies are there to prevent it.
    faults: AtomicU64,
}

impl Fleet {
    /// Over these servers, whether they are there or not.
    pub(crate) fn start(
        options: Options,
        local: Arc<MemoryStore<Time>>,
        time: &Time,
    ) -> Result<Self, RedisError> {
        let leases = options.leases;
        let store = RedisStore::start(options, local, time.shared())?;
        Ok(Self { redis: store, leases, faults: AtomicU64::new(0) })
    }

    /// Waits a moment for Redis, so that the first requests find it if it is there.
    pub(crate) async fn greet(&self) {
        let answered = async {
            while self.redis().health().layout == Layout::Unknown {
                sleep(LOOK_EVERY).await;
            }
        };
        // If it does not, the condition says so.
        drop(timeout(FIRST_WORD_MAX, answered).await);
    }

    /// Tells Redis what was spent without it, for so long.
    pub(crate) async fn settle(&self, patience: Duration) {
        let left = self.redis().settle(patience).await;
        if left > 0 {
            tracing::warn!(
                counters = left,
                "Redis was not told of all that was spent while it was away: these counters show too little."
            );
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

    /// The shared store answers by a policy when it cannot ask, so an error is a defect of ours. No request is let through
    /// or denied for that unseen: this node counts, says so, and the metric tells.
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
}

/// Why counters cannot be shared. That Redis is away is no reason.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RedisError {
    /// An address or the certificates are not such.
    #[error("cannot use Redis (--redis): {0}")]
    Options(#[from] OptionsError),
    /// Who signs its certificate cannot be read.
    #[error("cannot read {} (--redis-ca): {source}; name a file with certificates in PEM", .path.display())]
    Authorities {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// How long Redis may take to answer before the start goes on without.
const FIRST_WORD_MAX: Duration = Duration::from_secs(1);
/// How often it is looked for meanwhile.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The options of the connection to Redis, checked as far as that is possible without one.
pub(crate) fn redis_options(redis: &Redis, node: &str) -> Result<Options, RedisError> {
    let urls = redis.urls.iter().map(|url| url.in_clear().to_owned());
    let authorities = redis.ca.as_ref().map(|path| {
        fs::read(path).map_err(|source| RedisError::Authorities { path: path.clone(), source })
    });
    let options = Options {
        authorities: authorities.transpose()?,
        prefix: redis.prefix.clone(),
        node: node.to_owned(),
        deadline: redis.deadline,
        naming: key_parts,
        leases: redis.leases,
        ..Options::new(urls)
    };
    options.check()?;
    Ok(options)
}
