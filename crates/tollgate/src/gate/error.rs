//! Why a request has no answer.

use std::{error::Error, fmt};

use tollgate_core::StoreError;

/// No rules were ever published, so nothing can be decided.
///
/// ```
/// assert!(tollgate::NoSnapshot.to_string().starts_with("no rules are loaded"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSnapshot;

impl fmt::Display for NoSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no rules are loaded: neither the database nor a last-good snapshot gave any")
    }
}

impl Error for NoSnapshot {}

/// Why a request has no answer.
///
/// ```
/// use tollgate::{NoSnapshot, Unanswered};
///
/// assert_eq!(Unanswered::from(NoSnapshot).to_string(), NoSnapshot.to_string());
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Unanswered {
    /// No rules were ever published.
    NoSnapshot,
    /// The counters could not be asked.
    Store(StoreError),
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSnapshot => NoSnapshot.fmt(f),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl Error for Unanswered {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NoSnapshot => None,
            Self::Store(error) => error.source(),
        }
    }
}

impl From<NoSnapshot> for Unanswered {
    fn from(_: NoSnapshot) -> Self {
        Self::NoSnapshot
    }
}

impl From<StoreError> for Unanswered {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
