//! Nothing waits for a database for ever.

use std::{future::Future, time::Duration};

use crate::CatalogError;

/// How long each kind of work may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deadlines {
    /// Getting a connection, beginning, committing, a heartbeat.
    pub(crate) call: Duration,
    /// Reading, up to a whole revision.
    pub(crate) read: Duration,
    /// Writing, up to a whole revision.
    pub(crate) write: Duration,
    /// Waiting for another writer; less than `call`, so that the database answers before we give up.
    pub(crate) lock: Duration,
}

impl Deadlines {
    /// With `call` for one answer of the database.
    pub(crate) fn scaled(call: Duration) -> Self {
        Self {
            call,
            read: call.saturating_mul(WHOLE_REVISION_CALLS),
            write: call.saturating_mul(WHOLE_REVISION_CALLS),
            lock: call.saturating_mul(4) / 5,
        }
    }
}

/// How long the database has for one short answer.
pub const CALL_MAX: Duration = Duration::from_secs(5);
/// A revision of the most rules is read in well under half a minute.
const WHOLE_REVISION_CALLS: u32 = 6;

/// What the work answers, unless it takes too long: then it is given up.
pub(crate) async fn within<T>(
    deadline: Duration,
    work: impl Future<Output = Result<T, CatalogError>>,
) -> Result<T, CatalogError> {
    let answer = tokio::time::timeout(deadline, work).await;
    answer.unwrap_or(Err(CatalogError::Timeout(deadline)))
}
