//! How much a request weighs.

use std::fmt;

/// The weight of one request in units of its limit. A cost of zero peeks: it is always allowed and
/// spends nothing.
///
/// ```
/// use tollgate_core::Cost;
///
/// assert_eq!(Cost::default(), Cost::ONE);
/// assert!(Cost::ZERO.is_zero());
/// assert_eq!(Cost::new(3).get(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost(u64);

impl Cost {
    /// Looks without spending.
    pub const ZERO: Self = Self(0);
    /// The weight of an ordinary request.
    pub const ONE: Self = Self(1);

    /// A weight of `units`.
    pub const fn new(units: u64) -> Self {
        Self(units)
    }

    /// The number of units.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Whether this cost only peeks.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl Default for Cost {
    fn default() -> Self {
        Self::ONE
    }
}

impl From<u64> for Cost {
    fn from(units: u64) -> Self {
        Self(units)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
