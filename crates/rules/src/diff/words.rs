//! Values in the words of a rules file.

use std::fmt::Display;

use jiff::Timestamp as Moment;
use tollgate_core::{AlgorithmName, Bands, Limit, LimitSet, Timestamp};

use crate::{AttributeCondition, Change, DescriptorEntry, Missing};

/// What is not there. No value is written like this.
pub(super) const NONE: &str = "(none)";
/// A condition that is not made. No value is written like this.
pub(super) const ANY: &str = "(any)";

/// A text as it is where nothing in it can be misread, otherwise in quotes.
pub(super) fn word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:@+%{}*~".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("{text:?}")
    }
}

pub(super) fn or_none<T: Display>(value: Option<T>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| value.to_string())
}

/// Free text: always in quotes.
pub(super) fn quoted(text: Option<&str>) -> String {
    or_none(text.map(|text| format!("{text:?}")))
}

/// A condition that holds for one of several values, whose order means nothing.
pub(super) fn one_of(values: impl Iterator<Item = String>) -> String {
    let mut values: Vec<String> = values.collect();
    values.sort_unstable();
    match values.as_slice() {
        [] => ANY.to_owned(),
        [only] => only.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

pub(super) fn attribute(condition: Option<&AttributeCondition>) -> String {
    match condition {
        None => ANY.to_owned(),
        Some(AttributeCondition::Exact(text)) => word(text),
        Some(AttributeCondition::OneOf(texts)) => {
            format!("one of {}", one_of(texts.iter().map(|text| word(text))))
        }
        Some(AttributeCondition::Prefix(text)) => format!("prefix {}", word(text)),
        Some(AttributeCondition::Suffix(text)) => format!("suffix {}", word(text)),
    }
}

pub(super) fn descriptor(entries: Option<&[DescriptorEntry]>) -> String {
    let entry = |entry: &DescriptorEntry| match &entry.value {
        None => format!("[{}]", word(&entry.key)),
        Some(value) => format!("[{}, {}]", word(&entry.key), word(value)),
    };
    entries.map_or_else(
        || ANY.to_owned(),
        |entries| {
            format!(
                "[{}]",
                entries.iter().map(entry).collect::<Vec<_>>().join(", ")
            )
        },
    )
}

/// The limits of a set, shortest period first; the thresholds are fields of their own.
pub(super) fn limits(limits: &LimitSet) -> String {
    let limits = by_period(limits).into_iter().map(limit);
    limits.collect::<Vec<_>>().join(", ")
}

/// A threshold of every limit: once if all agree, otherwise of each.
pub(super) fn threshold(limits: &LimitSet, of: impl Fn(Bands) -> u16) -> String {
    let mut percents: Vec<u16> = by_period(limits)
        .iter()
        .map(|limit| of(limit.bands()))
        .collect();
    if percents
        .iter()
        .all(|percent| Some(percent) == percents.first())
    {
        percents.truncate(1);
    }
    let percents = percents.iter().map(|percent| format!("{percent}%"));
    percents.collect::<Vec<_>>().join(", ")
}

/// A limit, its burst, and its algorithm if that is not the usual one.
fn limit(limit: &Limit) -> String {
    let burst = limit.burst().map(|burst| format!(" burst {burst}"));
    let usual = if burst.is_some() {
        AlgorithmName::TokenBucket
    } else {
        AlgorithmName::SlidingWindow
    };
    let algorithm = limit.algorithm();
    let by = (algorithm != usual).then(|| format!(" by {}", algorithm.as_str()));
    format!(
        "{limit}{}{}",
        burst.unwrap_or_default(),
        by.unwrap_or_default()
    )
}

/// A set of limits whose thresholds have no field of their own.
pub(super) fn limits_and_thresholds(set: &LimitSet) -> String {
    let text = limits(set);
    let (warn_at, hard_at) = (
        threshold(set, Bands::warn_at),
        threshold(set, Bands::hard_at),
    );
    if set.iter().all(|limit| limit.bands() == Bands::default()) {
        text
    } else {
        format!("{text} warn_at {warn_at} hard_at {hard_at}")
    }
}

pub(super) const fn missing(missing: Missing) -> &'static str {
    match missing {
        Missing::Skip => "skip",
        Missing::Shared => "shared",
        Missing::Deny => "deny",
    }
}

pub(super) fn change(change: &Change) -> String {
    match change {
        Change::Limit(limit) => limits_and_thresholds(&limit.clone().into()),
        Change::Limits(limits) => format!("[{}]", limits_and_thresholds(limits)),
        Change::Factor(factor) => factor.to_string(),
        Change::Unlimited => "unlimited".to_owned(),
    }
}

pub(super) fn moment(at: Timestamp) -> String {
    let micros = i64::try_from(at.as_micros()).ok();
    let moment = micros.and_then(|micros| Moment::from_microsecond(micros).ok());
    moment.map_or_else(
        || format!("{} µs", at.as_micros()),
        |moment| moment.to_string(),
    )
}

fn by_period(limits: &LimitSet) -> Vec<&Limit> {
    let mut limits: Vec<&Limit> = limits.iter().collect();
    limits.sort_by_key(|limit| (limit.period().length(), limit.period().id()));
    limits
}
