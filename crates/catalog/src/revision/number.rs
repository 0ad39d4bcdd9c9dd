//! The number of a revision.

use std::fmt;

use crate::{CatalogError, sql::Value};

/// The number of a revision. Numbers only grow; 0 is the empty catalog before the first write.
///
/// ```
/// use tollgate_catalog::RevisionNumber;
///
/// let first = RevisionNumber::ZERO.next().unwrap();
/// assert_eq!(first.get(), 1);
/// assert!(RevisionNumber::new(u64::MAX).is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RevisionNumber(i64);

impl RevisionNumber {
    /// Before the first write.
    pub const ZERO: Self = Self(0);
    /// Below the number that marks what is still in force.
    const MAX: i64 = i64::MAX - 1;

    /// The revision of this number; none beyond 2⁶³ − 2.
    pub const fn new(number: u64) -> Option<Self> {
        if number > Self::MAX.cast_unsigned() {
            return None;
        }
        Some(Self(number.cast_signed()))
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0.cast_unsigned()
    }

    /// The one after it; none at the end of all numbers.
    pub const fn next(self) -> Option<Self> {
        Self::new(self.get().saturating_add(1))
    }

    pub(crate) fn from_row(number: i64) -> Result<Self, CatalogError> {
        let number = u64::try_from(number).ok().and_then(Self::new);
        number.ok_or_else(|| {
            CatalogError::Corrupt("the number of a revision is out of range".to_owned())
        })
    }
}

impl fmt::Display for RevisionNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<RevisionNumber> for Value {
    fn from(number: RevisionNumber) -> Self {
        Self::from(number.0)
    }
}
