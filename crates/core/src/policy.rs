//! How a limit is shared among nodes, and what answers when that cannot be done.

/// Where a limit is counted when several nodes share it.
///
/// ```
/// use tollgate_core::Consistency;
///
/// assert_eq!(Consistency::Exact.word(), "exact");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Consistency {
    /// Every decision is taken by the shared store.
    Exact,
    /// Nodes spend slices that were taken from the shared store before.
    #[default]
    Leased,
    /// Each node counts for itself.
    Local,
}

impl Consistency {
    /// As in a file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Leased => "leased",
            Self::Local => "local",
        }
    }
}

/// What to answer while the shared store is away.
///
/// ```
/// use tollgate_core::OnFailure;
///
/// assert_eq!(OnFailure::default().word(), "local");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnFailure {
    /// Allow.
    Open,
    /// Deny what no lease covers.
    Closed,
    /// Serve this node's share.
    #[default]
    Local,
}

impl OnFailure {
    /// As in a file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Local => "local",
        }
    }
}

/// What a rule says about sharing its counters. A store of one node has nothing to do with it.
///
/// ```
/// use tollgate_core::{Consistency, OnFailure, Policy};
///
/// let strict = Policy { consistency: Consistency::Exact, on_failure: OnFailure::Closed };
/// assert_ne!(strict, Policy::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Where it is counted.
    pub consistency: Consistency,
    /// What answers meanwhile.
    pub on_failure: OnFailure,
}

impl Policy {
    /// As a rule has it that does not say.
    pub const FLEET: Self = Self { consistency: Consistency::Leased, on_failure: OnFailure::Local };
}
