//! What is asked of a key, and what is answered.

/// The numbers of one call. They may be others with every call: a key remembers only when it will
/// owe nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Throttle {
    /// How many more than one may come at once.
    pub max_burst: i64,
    /// So many in a period.
    pub count: i64,
    /// The period, in seconds.
    pub period_s: i64,
    /// So many are asked for. Zero peeks; below zero gives back.
    pub quantity: i64,
}

/// The numbers of one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Throttled {
    /// Whether it is one too many.
    pub is_limited: bool,
    /// How many may come at once.
    pub limit: i64,
    /// How many more may come now.
    pub remaining: i64,
    /// Seconds to wait; −1 if it was allowed, or waiting never helps.
    pub retry_after_s: i64,
    /// Seconds until the key owes nothing any more.
    pub reset_after_s: i64,
}

/// Why there is no answer. The words are redis-cell's.
///
/// ```
/// use tollgate_core::SystemClock;
/// use tollgate_memory::{CellStore, Throttle, ThrottleError};
///
/// let cells = CellStore::with_capacity(1_000, SystemClock);
/// let never = Throttle { max_burst: 15, count: 0, period_s: 60, quantity: 1 };
/// assert_eq!(cells.throttle(b"user123", never), Err(ThrottleError::ZeroRate));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ThrottleError {
    /// Nothing in a period, or something in no period, or less than a nanosecond from one to the next.
    #[error("Zero rates are not supported")]
    ZeroRate,
    /// More was given back than the key owed; it owes nothing now.
    #[error("Error while setting key expire")]
    BelowZero,
}
