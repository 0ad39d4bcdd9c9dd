//! News from either database.

use crate::{CatalogError, postgres, sqlite};

/// Says that something may have changed; what did is for the reader to find out.
#[derive(Debug)]
pub(crate) enum Hints {
    Sqlite(sqlite::Hints),
    Postgres(postgres::Hints),
}

impl Hints {
    /// Returns when somebody has written. An error means that news may have been lost.
    pub(crate) async fn next(&mut self) -> Result<(), CatalogError> {
        match self {
            Self::Sqlite(hints) => hints.next().await,
            Self::Postgres(hints) => hints.next().await,
        }
    }
}
