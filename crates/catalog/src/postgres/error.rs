//! What PostgreSQL's error codes mean for us.

use std::error::Error;

use crate::{CatalogError, deadline::CALL_MAX, sql};

pub(crate) fn error(error: sqlx::Error) -> CatalogError {
    sql::error(error, of_code)
}

/// The first two letters are the class: <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
fn of_code(code: &str, error: sqlx::Error) -> CatalogError {
    let class = code.get(..2).unwrap_or_default();
    match (class, code) {
        // Lock not available, cancelled by a time-out, deadlock, serialization.
        (_, "55P03" | "57014" | "40P01" | "40001") => CatalogError::Timeout(CALL_MAX),
        (_, "25006") => CatalogError::ReadOnly(words(error)),
        (_, "53100") => CatalogError::Full(words(error)),
        // Connection lost, too many connections, out of memory, shutting down, starting up.
        ("08" | "53" | "57", _) | (_, "25P03") => CatalogError::Unreachable(words(error)),
        ("28" | "3D", _) | (_, "42501") => CatalogError::Denied(words(error)),
        ("XX" | "F0", _) => CatalogError::Corrupt(error.to_string()),
        _ => CatalogError::Failed(words(error)),
    }
}

/// What the server said. The driver adds the line of the server's own source, which tells a user nothing.
fn words(error: sqlx::Error) -> Box<dyn Error + Send + Sync> {
    match &error {
        sqlx::Error::Database(told) => told.message().into(),
        _ => error.into(),
    }
}
