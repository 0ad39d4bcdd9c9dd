//! What SQLite's result codes mean for us.

use crate::{CatalogError, deadline::CALL_MAX, sql};

/// The low byte of a result code is its family: <https://www.sqlite.org/rescode.html>.
const FAMILY: i64 = 0xff;

pub(crate) fn error(error: sqlx::Error) -> CatalogError {
    sql::error(error, of_code)
}

fn of_code(code: &str, error: sqlx::Error) -> CatalogError {
    match code.parse::<i64>().map(|code| code & FAMILY) {
        // PERM, AUTH, CANTOPEN
        Ok(3 | 23 | 14) => CatalogError::Denied(error.into()),
        // BUSY, LOCKED, PROTOCOL: another process was writing all the time
        Ok(5 | 6 | 15) => CatalogError::Timeout(CALL_MAX),
        // READONLY
        Ok(8) => CatalogError::ReadOnly(error.into()),
        // CORRUPT, FORMAT, NOTADB
        Ok(11 | 24 | 26) => CatalogError::Corrupt(error.to_string()),
        // FULL
        Ok(13) => CatalogError::Full(error.into()),
        _ => CatalogError::Failed(error.into()),
    }
}
