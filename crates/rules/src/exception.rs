//! Exceptions for one key: overrides.

use std::{collections::BTreeMap, fmt, str::FromStr, sync::Arc};

use tollgate_core::{Limit, LimitSet, Timestamp};

use crate::{
    Field, Key, Name,
    normalise::{address, network_of},
};

/// An exception for one key of one rule, or of all rules that count by the same facts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Override {
    /// The rule; none is every rule that counts by exactly these facts.
    pub rule: Option<Name>,
    /// The facts, by name: every field of the rule's key, as its values are after normalisation.
    pub key: BTreeMap<Field, Arc<str>>,
    /// What counts instead.
    pub change: Change,
    /// When it ends by itself; none is never.
    pub until: Option<Timestamp>,
    /// Why.
    pub reason: Option<Arc<str>>,
}

impl Override {
    /// An override of a rule, or of all, that lifts the limits of the empty key for ever: fill in the
    /// rest.
    pub const fn new(rule: Option<Name>) -> Self {
        Self { rule, key: BTreeMap::new(), change: Change::Unlimited, until: None, reason: None }
    }

    /// The same override with its address as `key` counts it: of IPv6 the network, not the host.
    #[must_use]
    pub fn fitted(mut self, key: &Key) -> Self {
        let mut fields = key.fields().iter();
        let counted = fields.find(|field| field.alternatives().contains(&Field::Ip));
        if let (Some(field), Some(value)) = (counted, self.key.get_mut(&Field::Ip))
            && let Ok(address) = address(value)
        {
            *value = network_of(address, field.ipv6_prefix()).to_string().into();
        }
        self
    }
}

/// What an override puts in a limit's place.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// Another limit of the same period; limits of other periods stay.
    Limit(Limit),
    /// These limits instead of all of the rule's.
    Limits(LimitSet),
    /// Every limit times a factor.
    Factor(Factor),
    /// No limit at all.
    Unlimited,
}

/// A factor in thousandths, from `0.001x` to `1000000x`.
///
/// ```
/// use tollgate_rules::Factor;
///
/// let factor: Factor = "1.5x".parse()?;
/// assert_eq!(factor.of(100), 150);
/// assert_eq!(factor.of(1), 1); // rounded down, but never to nothing
/// assert_eq!(factor.to_string(), "1.5x");
/// # Ok::<(), tollgate_rules::FactorError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Factor {
    thousandths: u64,
}

impl Factor {
    const MAX: u64 = 1_000_000_000;

    /// This many times `amount`: rounded down, at least one.
    pub fn of(self, amount: u64) -> u64 {
        let product = u128::from(amount).saturating_mul(u128::from(self.thousandths)) / 1_000;
        u64::try_from(product).unwrap_or(u64::MAX).max(1)
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.thousandths / 1_000, self.thousandths % 1_000);
        if part == 0 {
            return write!(f, "{whole}x");
        }
        let part = format!("{part:03}");
        write!(f, "{whole}.{}x", part.trim_end_matches('0'))
    }
}

impl FromStr for Factor {
    type Err = FactorError;

    fn from_str(text: &str) -> Result<Self, FactorError> {
        let error = || FactorError(text.chars().take(64).collect());
        let number = text.strip_suffix('x').ok_or_else(error)?;
        let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
        let is_digits = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
        if !is_digits(whole) || !is_digits(part) || part.is_empty() || part.len() > 3 {
            return Err(error());
        }
        let whole: u64 = whole.parse().map_err(|_| error())?;
        let part: u64 = format!("{part:0<3}").parse().map_err(|_| error())?;
        let thousandths = whole.saturating_mul(1_000).saturating_add(part);
        if !(1..=Self::MAX).contains(&thousandths) {
            return Err(error());
        }
        Ok(Self { thousandths })
    }
}

/// A text that is not a factor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a factor: write for example 2x or 1.5x, from 0.001x to 1000000x")]
pub struct FactorError(String);
