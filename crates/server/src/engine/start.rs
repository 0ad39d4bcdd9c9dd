//! The way to Redis, from its beginning to its end.

use std::{fs, io, path::PathBuf, sync::Arc, time::Duration};

use tokio::time::{sleep, timeout};
use tollgate_memory::MemoryStore;
use tollgate_redis::{Layout, Options, OptionsError, RedisStore};
use tollgate_rules::key_parts;

use super::{Fleet, Time};
use crate::config::Redis;

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
        fs::read(path).map_err(|source| RedisError::Authorities {
            path: path.clone(),
            source,
        })
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

impl Fleet {
    /// Over these servers, whether they are there or not.
    pub(crate) fn start(
        options: Options,
        local: Arc<MemoryStore<Time>>,
        time: &Time,
    ) -> Result<Self, RedisError> {
        let leases = options.leases;
        let store = RedisStore::start(options, local, time.shared())?;
        Ok(Self::new(store, leases))
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
}
