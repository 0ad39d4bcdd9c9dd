//! Rows of the audit.

use std::sync::Arc;

use tollgate_core::Timestamp;

use crate::Author;

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// It was done.
    Done,
    /// Whoever tried it was turned away.
    Refused,
}

impl Ended {
    /// As it is stored and shown.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
        }
    }
}

/// Something to be put on record that is no write to the catalog: a counter that was reset, somebody who was turned away.
#[derive(Clone, Debug, PartialEq)]
pub struct Noted {
    /// Who, in which role, why, from where, by which request.
    pub author: Author,
    /// What was done: `counter.reset`, `api_key.revoke`.
    pub action: Arc<str>,
    /// To what: its kind and its id.
    pub object: (Arc<str>, Arc<str>),
    /// What was there before, as JSON.
    pub before: Option<String>,
    /// What is there now, as JSON.
    pub after: Option<String>,
    /// How it ended.
    pub ended: Ended,
    /// How often the same was tried since it was last put on record.
    pub times: u64,
}

/// A row of the audit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AuditRow {
    /// Which one: numbers only grow.
    pub id: u64,
    /// When.
    pub at: Timestamp,
    /// What.
    pub noted: Noted,
}
