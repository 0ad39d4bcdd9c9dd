//! What the errors of a driver mean for us, as far as both databases agree.

use crate::CatalogError;

/// `of_code` tells what the database's own code means.
pub(crate) fn error(
    error: sqlx::Error,
    of_code: impl FnOnce(&str, sqlx::Error) -> CatalogError,
) -> CatalogError {
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
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => {
            CatalogError::Corrupt(error.to_string())
        }
        _ => CatalogError::Failed(error.into()),
    }
}
