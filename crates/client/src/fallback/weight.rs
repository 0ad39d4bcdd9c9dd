//! What a request weighs under a rule.

use std::sync::Arc;

use crate::Check;

/// What a request weighs; what the caller says multiplies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// Always this much.
    Fixed(u64),
    /// A whole number among the attributes, divided and rounded up; one where there is none.
    Attribute { name: Arc<str>, per: u64 },
}

impl Weight {
    /// From the protocol: `10`, `attributes.bytes / 1024`. What cannot be read weighs one.
    pub(crate) fn read(text: Option<&str>) -> Self {
        let read = text.and_then(|text| match text.strip_prefix("attributes.") {
            None => text.parse().ok().map(Self::Fixed),
            Some(attribute) => Self::of_attribute(attribute),
        });
        read.unwrap_or(Self::Fixed(1))
    }

    fn of_attribute(text: &str) -> Option<Self> {
        let (name, per) = match text.split_once(" / ") {
            None => (text, 1),
            Some((name, per)) => (name, per.parse().ok().filter(|per| *per > 0)?),
        };
        let name = name.into();
        Some(Self::Attribute { name, per })
    }

    /// What a check weighs.
    pub(crate) fn of(&self, check: &Check<'_>) -> u64 {
        let weight = match self {
            Self::Fixed(weight) => *weight,
            Self::Attribute { name, per } => {
                let number = check.attribute_value(name).and_then(whole);
                number.map_or(1, |number| number.div_ceil(*per))
            }
        };
        weight.saturating_mul(check.weight())
    }
}

/// The number that the text is; the greatest there is for one that is greater.
fn whole(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Proves: U4
    #[test]
    fn a_check_weighs_as_it_does_on_the_server() {
        let upload = Check::new().attribute("bytes", "3000").cost(2);
        for (text, weight) in [
            (None, 2),
            (Some("10"), 20),
            (Some("attributes.bytes / 1024"), 6),
            (Some("attributes.bytes"), 6_000),
            (Some("attributes.other / 7"), 2),
            (Some("attributes.bytes / 0"), 2),
            (Some("what?"), 2),
        ] {
            assert_eq!(Weight::read(text).of(&upload), weight, "{text:?}");
        }
        let much = Check::new().attribute("bytes", "99999999999999999999999");
        let by_size = Weight::read(Some("attributes.bytes"));
        assert_eq!(by_size.of(&much.clone().cost(3)), u64::MAX);
        assert_eq!(by_size.of(&Check::new().attribute("bytes", "-1")), 1);
        assert_eq!(
            by_size.of(&much.attribute("bytes", "5")),
            5,
            "the last one counts"
        );
    }
}
