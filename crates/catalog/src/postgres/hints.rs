//! Notifications, and noticing that they have stopped.

use std::{fmt, time::Duration};

use sqlx::{
    Executor as _,
    postgres::{PgConnectOptions, PgListener, PgPoolOptions},
};
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::error;
use crate::{
    CatalogError,
    deadline::{Deadlines, within},
};

const CHANNEL: &str = "tollgate";
/// What the server shows in `pg_stat_activity`.
const NAME: &str = "tollgate-listen";
/// A connection that died without a word is noticed after two calls at most.
const KEEPALIVE_CALLS: u32 = 2;
/// A test may have short deadlines; the server is not asked all the time for it.
const KEEPALIVE_MIN: Duration = Duration::from_millis(100);

/// A connection of its own that listens.
pub(crate) struct Hints {
    listener: PgListener,
    keep_alive: Interval,
    deadlines: Deadlines,
}

impl Hints {
    pub(super) async fn new(
        options: &PgConnectOptions,
        deadlines: Deadlines,
    ) -> Result<Self, CatalogError> {
        let options = options.clone().application_name(NAME);
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(deadlines.lock)
            .connect_lazy_with(options);
        let mut listener = PgListener::connect_with(&pool).await.map_err(error)?;
        // Who reconnects must also ask what was missed, so that is left to the watcher.
        listener.eager_reconnect(false);
        listener.listen(CHANNEL).await.map_err(error)?;
        let every = deadlines.call.saturating_mul(KEEPALIVE_CALLS).max(KEEPALIVE_MIN);
        let mut keep_alive = interval(every);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Self { listener, keep_alive, deadlines })
    }

    /// Returns when somebody has written. An error means that notifications may have been lost. May be
    /// given up and called again: nothing is lost by that.
    pub(crate) async fn next(&mut self) -> Result<(), CatalogError> {
        loop {
            tokio::select! {
                heard = self.listener.try_recv() => {
                    return heard.map_err(error)?.map(drop).ok_or_else(lost);
                }
                _ = self.keep_alive.tick() => {}
            }
            let asked = async {
                let answer = self.listener.execute("SELECT 1").await;
                answer.map(drop).map_err(error)
            };
            within(self.deadlines.call, asked).await?;
        }
    }
}

impl fmt::Debug for Hints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hints").finish_non_exhaustive()
    }
}

fn lost() -> CatalogError {
    CatalogError::Unreachable("the listening connection was lost".into())
}
