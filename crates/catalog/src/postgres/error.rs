//! What PostgreSQL's error codes mean for us.

use std::time::Duration;

use crate::{CatalogError, deadline::CALL_MAX};

pub(crate) fn error(error: sqlx::Error) -> CatalogError {
    match &error {
        sqlx::Error::Database(told) => {
            let code = told.code().unwrap_or_default().into_owned();
            of_code(&code, error)
        }
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => CatalogError::Unreachable(error.into()),
        sqlx::Error::Configuration(_) => CatalogError::Url(error.to_string()),
        _ => CatalogError::Failed(error.into()),
    }
}

/// The first two letters are the class: <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
fn of_code(code: &str, error: sqlx::Error) -> CatalogError {
    let class = code.get(..2).unwrap_or_default();
    match (class, code) {
        // Lock not available, cancelled by a time-out, deadlock, serialization.
        (_, "55P03" | "57014" | "40P01" | "40001") => CatalogError::Timeout(waited()),
        (_, "25006") => CatalogError::ReadOnly(error.into()),
        (_, "53100") => CatalogError::Full(error.into()),
        // Connection lost, too many connections, out of memory, shutting down, starting up.
        ("08" | "53" | "57", _) => CatalogError::Unreachable(error.into()),
        (_, "25P03") => CatalogError::Unreachable(error.into()),
        // The database of that name is not there, or is being replaced.
        ("28" | "3D", _) | (_, "42501") => CatalogError::Denied(error.into()),
        ("XX" | "F0", _) => CatalogError::Corrupt(error.to_string()),
        _ => CatalogError::Failed(error.into()),
    }
}

const fn waited() -> Duration {
    CALL_MAX
}
