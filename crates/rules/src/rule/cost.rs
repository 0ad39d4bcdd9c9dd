//! How much a request weighs.

use std::{fmt, num::NonZeroU64, str::FromStr, sync::Arc};

use tollgate_core::Cost;

use crate::Query;

/// The weight of a request under a rule; the caller's cost multiplies it.
///
/// ```
/// use tollgate_core::Cost;
/// use tollgate_rules::{CostRule, Query};
///
/// let by_size: CostRule = "attributes.bytes / 1024".parse()?;
/// let upload = Query::new().attribute("bytes", "3000")?;
/// assert_eq!(by_size.of(&upload), Cost::new(3));
/// assert_eq!(by_size.of(&upload.cost(Cost::new(2))), Cost::new(6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CostRule {
    /// Always this much.
    Fixed(NonZeroU64),
    /// An attribute that is a whole number, divided and rounded up. A request without it, or with
    /// something that is no number, weighs one; a number beyond all bounds weighs the most there is.
    Attribute {
        /// The attribute.
        name: Arc<str>,
        /// What it is divided by.
        per: NonZeroU64,
    },
}

impl CostRule {
    /// The weight of `query`.
    pub fn of(&self, query: &Query<'_>) -> Cost {
        let weight = match self {
            Self::Fixed(cost) => cost.get(),
            Self::Attribute { name, per } => {
                let number = query.attribute_value(name).and_then(whole);
                number.map_or(1, |number| number.div_ceil(per.get()))
            }
        };
        Cost::new(weight.saturating_mul(query.cost_asked().get()))
    }
}

/// The number that the text is; the greatest there is for one that is greater.
fn whole(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

impl Default for CostRule {
    fn default() -> Self {
        Self::Fixed(NonZeroU64::MIN)
    }
}

impl fmt::Display for CostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(cost) => write!(f, "{cost}"),
            Self::Attribute { name, per } if per.get() == 1 => write!(f, "attributes.{name}"),
            Self::Attribute { name, per } => write!(f, "attributes.{name} / {per}"),
        }
    }
}

impl FromStr for CostRule {
    type Err = CostError;

    fn from_str(text: &str) -> Result<Self, CostError> {
        let error = || CostError(text.chars().take(64).collect());
        let Some(attribute) = text.strip_prefix("attributes.") else {
            return text.parse().map(Self::Fixed).map_err(|_| error());
        };
        let (name, per) = match attribute.split_once('/') {
            None => (attribute, NonZeroU64::MIN),
            Some((name, per)) => (name, per.trim().parse().map_err(|_| error())?),
        };
        let name = name.trim();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(error());
        }
        Ok(Self::Attribute { name: name.into(), per })
    }
}

/// A text that says no cost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "cost {0:?} is neither a whole number from 1 nor an attribute: write for example 5, \
     attributes.bytes or attributes.bytes / 1024"
)]
pub struct CostError(String);

#[cfg(test)]
mod tests {
    use super::*;

    /// A size that no integer holds must not be the cheapest of all.
    #[test]
    fn a_greater_number_never_weighs_less() {
        let rule: CostRule = "attributes.bytes / 2".parse().unwrap();
        let cost = |bytes| rule.of(&Query::new().attribute("bytes", bytes).unwrap()).get();
        assert_eq!(cost("3"), 2);
        assert_eq!(cost("18446744073709551615"), 1 << 63);
        assert_eq!(cost("99999999999999999999"), 1 << 63);
        for no_number in ["-5", "+5", "1e9", "many"] {
            assert_eq!(cost(no_number), 1, "{no_number}");
        }
    }
}
