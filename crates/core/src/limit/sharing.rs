//! How a limit is counted when nodes share it.

use std::fmt;

use crate::{Consistency, Limit, Micros, NoLease};

/// What the consistency of a rule comes to for one of its limits.
///
/// ```
/// use tollgate_core::{Consistency, Limit};
///
/// let told = |limit: &str| Ok(limit.parse::<Limit>()?.sharing(Consistency::Leased).to_string());
/// assert_eq!(told("100/min")?, "leased (refreshed every 500 ms)");
/// assert_eq!(told("10/100ms")?, "exact: its window is shorter than 1 s");
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sharing {
    /// Every decision is taken by the shared store, as the rule says.
    Exact,
    /// Nodes spend slices, and ask for others so often.
    Leased(Micros),
    /// The rule says leased, but this limit cannot be, and every decision is taken by the shared store.
    Unleased(NoLease),
    /// Each node counts for itself.
    Local,
}

impl Limit {
    /// How this limit is counted under a rule of such consistency.
    pub fn sharing(&self, consistency: Consistency) -> Sharing {
        match consistency {
            Consistency::Exact => Sharing::Exact,
            Consistency::Local => Sharing::Local,
            Consistency::Leased => match self.refresh() {
                Ok(refresh) => Sharing::Leased(refresh),
                Err(why) => Sharing::Unleased(why),
            },
        }
    }
}

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::Leased(refresh) => {
                write!(f, "leased (refreshed every {} ms)", refresh.get() / 1_000)
            }
            Self::Unleased(why) => write!(f, "exact: {why}"),
            Self::Local => f.write_str("local"),
        }
    }
}
