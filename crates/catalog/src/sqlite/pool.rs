//! Connections to the file.

use std::path::Path;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

use super::{Hints, error, file};
use crate::{CatalogError, deadline::Deadlines, sql::Conn};

/// Readers do not wait for each other, nor for the writer.
const CONNECTIONS_MAX: u32 = 4;

#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pool: SqlitePool,
    options: SqliteConnectOptions,
}

impl Pool {
    pub(crate) fn new(path: &Path, deadlines: Deadlines) -> Result<Self, CatalogError> {
        file::prepare(path)?;
        Ok(Self::with(options(path, deadlines), deadlines))
    }

    pub(super) fn with(options: SqliteConnectOptions, deadlines: Deadlines) -> Self {
        let pool = SqlitePoolOptions::new()
            .max_connections(CONNECTIONS_MAX)
            .acquire_timeout(deadlines.call)
            .test_before_acquire(false)
            .connect_lazy_with(options.clone());
        Self { pool, options }
    }

    pub(crate) async fn acquire(&self) -> Result<Conn, CatalogError> {
        self.pool.acquire().await.map(Conn::Sqlite).map_err(error)
    }

    pub(crate) async fn hints(&self) -> Result<Hints, CatalogError> {
        Hints::new(&self.options).await
    }

    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}

pub(super) fn options(path: &Path, deadlines: Deadlines) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .journal_mode(SqliteJournalMode::Wal)
        // A confirmed revision survives a power cut.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(deadlines.lock)
}
