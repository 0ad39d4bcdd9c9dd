//! Several limits on one key.

use std::str::FromStr;

use super::Limit;
use crate::LimitError;

/// At least one limit, no two of the same period: a counter is known by its period, never by its
/// place in a list.
///
/// ```
/// use tollgate_core::LimitSet;
///
/// let limits: LimitSet = "10/s, 1000/h, 20000/day".parse()?;
/// assert_eq!(limits.iter().count(), 3);
/// assert!("10/s, 20/s".parse::<LimitSet>().is_err());
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitSet {
    limits: Vec<Limit>,
}

impl LimitSet {
    /// These limits together.
    ///
    /// # Errors
    ///
    /// [`LimitError::NoLimit`], [`LimitError::TooManyLimits`] beyond [`Limit::PER_KEY_MAX`],
    /// [`LimitError::SamePeriod`].
    pub fn new(limits: impl IntoIterator<Item = Limit>) -> Result<Self, LimitError> {
        let limits: Vec<Limit> = limits.into_iter().take(Limit::PER_KEY_MAX + 1).collect();
        if limits.is_empty() {
            return Err(LimitError::NoLimit);
        }
        if limits.len() > Limit::PER_KEY_MAX {
            let (given, max) = (limits.len(), Limit::PER_KEY_MAX);
            return Err(LimitError::TooManyLimits { given, max });
        }
        for (place, limit) in limits.iter().enumerate() {
            if limits.iter().take(place).any(|earlier| earlier.period() == limit.period()) {
                return Err(LimitError::SamePeriod { period: limit.period().to_string() });
            }
        }
        Ok(Self { limits })
    }

    /// The limits, in the order given.
    pub fn iter(&self) -> std::slice::Iter<'_, Limit> {
        self.limits.iter()
    }

    /// The limits, in the order given.
    pub fn as_slice(&self) -> &[Limit] {
        &self.limits
    }
}

impl<'a> IntoIterator for &'a LimitSet {
    type Item = &'a Limit;
    type IntoIter = std::slice::Iter<'a, Limit>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Limit> for LimitSet {
    fn from(limit: Limit) -> Self {
        Self { limits: vec![limit] }
    }
}

/// Reads limits separated by commas.
impl FromStr for LimitSet {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, LimitError> {
        let limits: Result<Vec<Limit>, LimitError> = text
            .split(',')
            .take(Limit::PER_KEY_MAX + 1)
            .map(|limit| limit.trim().parse())
            .collect();
        Self::new(limits?)
    }
}
