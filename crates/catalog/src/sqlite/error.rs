//! What SQLite's result codes mean for us.

use std::time::Duration;

use crate::{CatalogError, deadline::CALL_MAX};

/// The low byte of a result code is its family: <https://www.sqlite.org/rescode.html>.
const FAMILY: i64 = 0xff;

pub(crate) fn error(error: sqlx::Error) -> CatalogError {
    match &error {
        sqlx::Error::Database(told) => {
            let code = told.code().and_then(|code| code.parse::<i64>().ok());
            match code.map(|code| code & FAMILY) {
                // PERM, AUTH, CANTOPEN
                Some(3 | 23 | 14) => CatalogError::Denied(error.into()),
                // BUSY, LOCKED, PROTOCOL: another process was writing all the time
                Some(5 | 6 | 15) => CatalogError::Timeout(waited()),
                // READONLY
                Some(8) => CatalogError::ReadOnly(error.into()),
                // CORRUPT, FORMAT, NOTADB
                Some(11 | 24 | 26) => CatalogError::Corrupt(told.message().to_owned()),
                // FULL
                Some(13) => CatalogError::Full(error.into()),
                _ => CatalogError::Failed(error.into()),
            }
        }
        sqlx::Error::PoolTimedOut => CatalogError::Timeout(waited()),
        sqlx::Error::Io(_) | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => {
            CatalogError::Unreachable(error.into())
        }
        sqlx::Error::Configuration(_) => CatalogError::Url(error.to_string()),
        _ => CatalogError::Failed(error.into()),
    }
}

const fn waited() -> Duration {
    CALL_MAX
}
