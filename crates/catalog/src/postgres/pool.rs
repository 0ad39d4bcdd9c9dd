//! Connections to the server.

use std::time::Duration;

use sqlx::{
    ConnectOptions as _,
    postgres::{PgConnectOptions, PgPool, PgPoolOptions},
};
use tokio::time::timeout;

use super::{Hints, error};
use crate::{CatalogError, deadline::Deadlines, sql::Conn};

/// The watcher, a heartbeat and a few editors.
const CONNECTIONS_MAX: u32 = 4;
/// A node is quiet most of the time; the server's connections are few.
const IDLE_MAX: Duration = Duration::from_secs(60);
/// How long to knock once more, to learn why there is no connection.
const KNOCK_MAX: Duration = Duration::from_millis(500);
/// What the server shows in `pg_stat_activity`.
const NAME: &str = "tollgate";

#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pool: PgPool,
    options: PgConnectOptions,
    deadlines: Deadlines,
}

impl Pool {
    pub(crate) fn new(url: &str, deadlines: Deadlines) -> Result<Self, CatalogError> {
        let options: PgConnectOptions = url.parse().map_err(error)?;
        let options = options.application_name(NAME);
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS_MAX)
            .acquire_timeout(deadlines.lock)
            .idle_timeout(IDLE_MAX)
            .connect_lazy_with(options.clone());
        Ok(Self { pool, options, deadlines })
    }

    pub(crate) async fn acquire(&self) -> Result<Conn, CatalogError> {
        match self.pool.acquire().await {
            Ok(conn) => Ok(Conn::Postgres(conn)),
            Err(sqlx::Error::PoolTimedOut) => Err(self.why_not().await),
            Err(failed) => Err(error(failed)),
        }
    }

    /// The pool only says that it waited in vain; who knocks once more hears why.
    async fn why_not(&self) -> CatalogError {
        let knock = timeout(KNOCK_MAX, self.options.connect()).await;
        match knock {
            Ok(Err(refused)) => error(refused),
            Ok(Ok(_)) | Err(_) => CatalogError::Timeout(self.deadlines.lock),
        }
    }

    pub(crate) async fn hints(&self) -> Result<Hints, CatalogError> {
        Hints::new(&self.options, self.deadlines).await
    }

    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}
