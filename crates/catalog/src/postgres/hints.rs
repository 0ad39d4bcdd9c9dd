//! Notifications, and noticing that they have stopped.

use std::time::Duration;

use sqlx::{
    Executor as _,
    postgres::{PgConnectOptions, PgListener, PgPoolOptions},
};

use super::error;
use crate::{
    CatalogError,
    deadline::{Deadlines, within},
};

const CHANNEL: &str = "tollgate";
/// What the server shows in `pg_stat_activity`.
const NAME: &str = "tollgate-listen";
/// A connection that died without a word is noticed after this and one call.
const KEEPALIVE_EVERY: Duration = Duration::from_secs(10);

/// A connection of its own that listens.
pub(crate) struct Hints {
    listener: PgListener,
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
        Ok(Self {
            listener,
            deadlines,
        })
    }

    /// Returns when somebody has written. An error means that notifications may have been lost.
    pub(crate) async fn next(&mut self) -> Result<(), CatalogError> {
        loop {
            match tokio::time::timeout(KEEPALIVE_EVERY, self.listener.try_recv()).await {
                Ok(Ok(Some(_))) => return Ok(()),
                Ok(Ok(None)) => return Err(lost()),
                Ok(Err(failed)) => return Err(error(failed)),
                Err(_) => self.keep_alive().await?,
            }
        }
    }

    async fn keep_alive(&mut self) -> Result<(), CatalogError> {
        let asked = async {
            let answer = self.listener.execute("SELECT 1").await;
            answer.map(drop).map_err(error)
        };
        within(self.deadlines.call, asked).await
    }
}

impl std::fmt::Debug for Hints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hints").finish_non_exhaustive()
    }
}

fn lost() -> CatalogError {
    CatalogError::Unreachable("the listening connection was lost".into())
}
