//! PostgreSQL: a server that several nodes share.

mod error;
mod hints;
mod pool;

pub(crate) use error::error;
pub(crate) use hints::Hints;
pub(crate) use pool::Pool;

/// One snapshot for all that is read. The server gives up a little after we do.
pub(crate) const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \
    SET LOCAL statement_timeout = '30s'; SET LOCAL idle_in_transaction_session_timeout = '60s'";
/// One writer at a time, so that numbers become visible in their order. The number of the lock means
/// nothing; it is the same in every release.
pub(crate) const BEGIN_WRITE: &str = "BEGIN; SET LOCAL lock_timeout = '4s'; \
    SET LOCAL statement_timeout = '30s'; SET LOCAL idle_in_transaction_session_timeout = '60s'; \
    SELECT pg_advisory_xact_lock(707070807072)";
/// A report waits for nobody.
pub(crate) const BEGIN_NOTE: &str = "BEGIN; SET LOCAL lock_timeout = '4s'; \
    SET LOCAL statement_timeout = '30s'; SET LOCAL idle_in_transaction_session_timeout = '60s'";
/// Microseconds since the epoch.
pub(crate) const NOW: &str = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::BIGINT";
pub(crate) const NOTIFY: &str = "SELECT pg_notify('tollgate', '')";
pub(crate) const HAS_SCHEMA: &str = "SELECT count(*) FROM (SELECT to_regclass('schema_version') AS found) t WHERE found IS NOT NULL";
