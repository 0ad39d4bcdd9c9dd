//! A limit as the server told it.

use std::sync::Arc;

use smallvec::SmallVec;
use tollgate_core::{AlgorithmName, Limit};
use tollgate_wire::check::LimitTold;

use super::KeyField;
use crate::{Check, facts, facts::Bytes, table::Table};

/// A limit that the server counts a question against, and by which of its facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToldLimit {
    /// Whose it is.
    pub(crate) rule: Arc<str>,
    /// Amount, period, burst, algorithm.
    pub(crate) per: Limit,
    /// By which facts it is counted; empty if all share one counter.
    pub(crate) key: Arc<[KeyField]>,
    /// Whom it is for.
    pub(crate) whom: Whom,
    /// What a request weighs under it.
    pub(crate) weight: Weight,
}

/// Whom a limit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whom {
    /// Everybody who asks the like.
    Everybody,
    /// Whoever asked, beside what is for everybody: of an API key, or agreed with a user.
    OneBeside,
    /// Whoever asked, in the place of what is for everybody: an override.
    OneInstead,
}

/// How the limits of an API key and of a user are called; rules cannot be called so.
const BESIDE: [&str; 2] = ["api-key:", "quota:"];

impl ToldLimit {
    /// From the texts of the protocol; none if they make no limit.
    pub(crate) fn read(told: &LimitTold) -> Option<Self> {
        let per = told.per.as_deref()?.parse::<Limit>().ok()?;
        let algorithm = told.algorithm.as_deref()?.parse::<AlgorithmName>().ok()?;
        let per = per.with_algorithm(algorithm).ok()?;
        let per = match told.burst {
            Some(burst) => per.with_burst(burst).ok()?,
            None => per,
        };
        let is_beside = BESIDE.iter().any(|prefix| told.rule.starts_with(prefix));
        Some(Self {
            rule: (*told.rule).into(),
            per,
            key: told.key.iter().map(|field| KeyField::read(field)).collect(),
            whom: match (told.overridden, is_beside) {
                (true, _) => Whom::OneInstead,
                (false, true) => Whom::OneBeside,
                (false, false) => Whom::Everybody,
            },
            weight: Weight::read(told.cost.as_deref()),
        })
    }
}

/// How many limits are known by their texts.
const ENTRIES: usize = 1_024;

/// Limits by the texts in which servers tell them.
#[derive(Debug)]
pub(crate) struct Lexicon {
    known: Table<ToldLimit>,
}

impl Default for Lexicon {
    fn default() -> Self {
        let known = Table::new(ENTRIES);
        Self { known }
    }
}

impl Lexicon {
    /// The limits of an answer; those that are told in words unknown here are left out.
    pub(crate) fn read(&self, told: &[LimitTold]) -> SmallVec<[ToldLimit; 4]> {
        told.iter().filter_map(|told| self.one(told)).collect()
    }

    fn one(&self, told: &LimitTold) -> Option<ToldLimit> {
        let text = facts::hash(&text(told));
        if let Some(known) = self.known.with(text, |known| known.clone()) {
            return Some(known);
        }
        let limit = ToldLimit::read(told)?;
        // Who comes when there is no room takes any place: limits that are in use are back at once.
        self.known.put(text, limit.clone(), |_| 0);
        Some(limit)
    }
}

/// What tells one limit from another: not what is left of it.
fn text(told: &LimitTold) -> Bytes {
    let mut out = facts::room();
    facts::write_fact(Some(&told.rule), &mut out);
    facts::write_fact(told.per.as_deref(), &mut out);
    facts::write_fact(told.algorithm.as_deref(), &mut out);
    let burst = told.burst.map_or(0, |burst| burst.saturating_add(1));
    out.extend_from_slice(&burst.to_be_bytes());
    out.push(told.overridden.into());
    facts::write_fact(told.cost.as_deref(), &mut out);
    for field in &told.key {
        facts::write_fact(Some(field), &mut out);
    }
    out
}

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

    #[test]
    fn the_same_words_are_the_same_limit_and_others_are_another() {
        let lexicon = Lexicon::default();
        let told = |per: &str, burst, key: &[&str]| LimitTold {
            rule: "search".into(),
            per: Some(per.into()),
            algorithm: Some("token_bucket".into()),
            burst,
            key: key.iter().map(|field| (*field).into()).collect(),
            ..LimitTold::default()
        };
        let all = [
            told("10/s", Some(20), &["user"]),
            told("10/s", Some(21), &["user"]),
            told("10/s", None, &["user"]),
            told("10/s", None, &["user", "ip"]),
            told("11/s", None, &[]),
            told("much", None, &[]),
        ];
        let read = lexicon.read(&all);
        assert_eq!(read, lexicon.read(&all));
        assert_eq!(read.len(), 5, "one is no limit");
        for (place, limit) in read.iter().enumerate() {
            let same = read.iter().filter(|other| *other == limit);
            assert_eq!(same.count(), 1, "{place}");
        }
        let amounts: Vec<u64> = read.iter().map(|limit| limit.per.capacity()).collect();
        assert_eq!(amounts, [20, 21, 10, 10, 11]);
    }

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
        assert_eq!(by_size.of(&much.attribute("bytes", "5")), 5, "the last one counts");
    }
}
