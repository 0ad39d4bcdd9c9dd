//! Noticing that the file was changed, by this process or another.

use std::time::Duration;

use sqlx::{ConnectOptions as _, SqliteConnection, sqlite::SqliteConnectOptions};

use super::error;
use crate::CatalogError;

/// One look costs microseconds.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A connection of its own that only ever asks for the version of the file.
#[derive(Debug)]
pub(crate) struct Hints {
    conn: SqliteConnection,
    seen: i64,
}

impl Hints {
    pub(super) async fn new(options: &SqliteConnectOptions) -> Result<Self, CatalogError> {
        let mut conn = options.connect().await.map_err(error)?;
        let seen = data_version(&mut conn).await?;
        Ok(Self { conn, seen })
    }

    /// Returns when somebody has written.
    pub(crate) async fn next(&mut self) -> Result<(), CatalogError> {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let version = data_version(&mut self.conn).await?;
            if version != self.seen {
                self.seen = version;
                return Ok(());
            }
        }
    }
}

async fn data_version(conn: &mut SqliteConnection) -> Result<i64, CatalogError> {
    let version = sqlx::query_scalar("PRAGMA data_version");
    version.fetch_one(conn).await.map_err(error)
}
