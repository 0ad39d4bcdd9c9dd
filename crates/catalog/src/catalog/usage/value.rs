//! What was used, as it is told and as it is asked for.

use std::sync::Arc;

use tollgate_core::Timestamp;

/// Whose use it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UsageKind {
    /// Of an API key, by its id.
    ApiKey,
    /// Of a user with a quota, by its name.
    User,
}

impl UsageKind {
    /// As it is stored.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::ApiKey => "api_key",
            Self::User => "user",
        }
    }
}

/// What somebody did on one day, as one node saw it since it told last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageRow {
    /// Whose use.
    pub kind: UsageKind,
    /// Who.
    pub id: Arc<str>,
    /// The day: days since 1970, UTC.
    pub day: u32,
    /// Requests that were allowed.
    pub allowed: u64,
    /// Requests that were denied.
    pub denied: u64,
    /// When the last one was.
    pub last_at: Timestamp,
}

/// What one node tells at once. Told twice under the same number, it counts once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageBatch {
    /// Which run of which node: other than any before it.
    pub node: Arc<str>,
    /// The how manieth of its tellings, from 1.
    pub number: u64,
    /// What was used.
    pub rows: Vec<UsageRow>,
}

/// What somebody has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Allowed and denied today.
    pub today: (u64, u64),
    /// Allowed and denied this calendar month.
    pub month: (u64, u64),
    /// Allowed and denied ever.
    pub total: (u64, u64),
    /// When the last request was.
    pub last_at: Option<Timestamp>,
}
