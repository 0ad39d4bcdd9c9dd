//! Values in the words of a rules file.

use std::{collections::BTreeMap, fmt::Display, sync::Arc};

use jiff::Timestamp as Moment;
use tollgate_core::{AlgorithmName, Bands, Limit, LimitSet, Timestamp};

use super::{
    Counters, Difference, DifferenceKind, Object,
    compare::{changed, difference},
};
use crate::{
    Action, AttributeCondition, Change, DescriptorEntry, Match, Missing, Override, Response, Rule,
    Throttle, Tier,
};

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
        |entries| format!("[{}]", entries.iter().map(entry).collect::<Vec<_>>().join(", ")),
    )
}

/// The limits of a set, shortest period first; the thresholds are fields of their own.
pub(super) fn limits(limits: &LimitSet) -> String {
    let limits = by_period(limits).into_iter().map(limit);
    limits.collect::<Vec<_>>().join(", ")
}

/// A threshold of every limit: once if all agree, otherwise of each.
pub(super) fn threshold(limits: &LimitSet, of: impl Fn(Bands) -> u16) -> String {
    let mut percents: Vec<u16> = by_period(limits).iter().map(|limit| of(limit.bands())).collect();
    if percents.iter().all(|percent| Some(percent) == percents.first()) {
        percents.truncate(1);
    }
    let percents = percents.iter().map(|percent| format!("{percent}%"));
    percents.collect::<Vec<_>>().join(", ")
}

/// A limit, its burst, and its algorithm if that is not the usual one.
fn limit(limit: &Limit) -> String {
    let burst = limit.burst().map(|burst| format!(" burst {burst}"));
    let usual =
        if burst.is_some() { AlgorithmName::TokenBucket } else { AlgorithmName::SlidingWindow };
    let algorithm = limit.algorithm();
    let by = (algorithm != usual).then(|| format!(" by {}", algorithm.as_str()));
    format!("{limit}{}{}", burst.unwrap_or_default(), by.unwrap_or_default())
}

/// A set of limits whose thresholds have no field of their own.
pub(super) fn limits_and_thresholds(set: &LimitSet) -> String {
    let text = limits(set);
    let (warn_at, hard_at) = (threshold(set, Bands::warn_at), threshold(set, Bands::hard_at));
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
    moment.map_or_else(|| format!("{} µs", at.as_micros()), |moment| moment.to_string())
}

fn by_period(limits: &LimitSet) -> Vec<&Limit> {
    let mut limits: Vec<&Limit> = limits.iter().collect();
    limits.sort_by_key(|limit| (limit.period().length(), limit.period().id()));
    limits
}

/// A field and what it says.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) field: String,
    pub(super) text: String,
}

impl Fact {
    pub(super) fn new(field: impl Into<String>, text: impl Into<String>) -> Self {
        let (field, text) = (field.into(), text.into());
        Self { field, text }
    }
}

/// Every field of a rule in the order of a file, always the same ones: `attributes` are those that
/// any of the compared rules asks for. A field without a line here does not compile.
pub(super) fn of_rule(rule: &Rule, attributes: &[Arc<str>]) -> Vec<Fact> {
    let Rule {
        id,
        name,
        priority,
        enabled,
        matches,
        action,
        response,
        owner,
        reason,
        renamed_from,
    } = rule;
    let throttle = match action {
        Action::Throttle(throttle) => Some(throttle),
        Action::Block | Action::Allow => None,
    };
    let mut facts = vec![
        Fact::new("id", id.to_string()),
        Fact::new("name", name.as_str()),
        Fact::new("renamed_from", or_none(renamed_from.as_ref())),
    ];
    facts.extend(of_match(matches, attributes));
    facts.extend(of_throttle(throttle));
    facts.push(Fact::new("priority", priority.to_string()));
    facts.push(Fact::new("action", action.word()));
    facts.extend(of_response(response));
    facts.push(Fact::new("enabled", enabled.to_string()));
    facts.push(Fact::new("owner", quoted(owner.as_deref())));
    facts.push(Fact::new("reason", quoted(reason.as_deref())));
    facts
}

fn of_match(matches: &Match, attributes: &[Arc<str>]) -> Vec<Fact> {
    let Match {
        tiers,
        users,
        orgs,
        api_keys,
        regions,
        endpoint,
        methods,
        networks,
        attributes: conditions,
        descriptor,
    } = matches;
    let words = |texts: &[Arc<str>]| one_of(texts.iter().map(|text| word(text)));
    let endpoint = endpoint.as_ref().map_or(ANY, |pattern| pattern.as_str());
    let mut facts = vec![
        Fact::new("match.tier", one_of(tiers.iter().map(ToString::to_string))),
        Fact::new("match.user", words(users)),
        Fact::new("match.org", words(orgs)),
        Fact::new("match.api_key", words(api_keys)),
        Fact::new("match.region", words(regions)),
        Fact::new("match.endpoint", endpoint),
        Fact::new("match.method", one_of(methods.iter().map(ToString::to_string))),
        Fact::new("match.ip", one_of(networks.iter().map(ToString::to_string))),
    ];
    facts.extend(attributes.iter().map(|name| {
        let field = format!("match.attributes.{}", word(name));
        Fact::new(field, attribute(conditions.get(name)))
    }));
    facts.push(Fact::new("match.descriptor", self::descriptor(descriptor.as_deref())));
    facts
}

fn of_throttle(throttle: Option<&Throttle>) -> Vec<Fact> {
    let Some(throttle) = throttle else {
        let fields = [
            "key",
            "missing",
            "limit",
            "warn_at",
            "hard_at",
            "group",
            "cost",
            "consistency",
            "on_failure",
        ];
        return fields.map(|field| Fact::new(field, NONE)).into();
    };
    let Throttle { key, missing, limits, group, cost, consistency, on_failure } = throttle;
    let limit = match limits.as_slice() {
        [_] => "limit",
        _ => "limits",
    };
    vec![
        Fact::new("key", key.to_string()),
        Fact::new("missing", self::missing(*missing)),
        Fact::new(limit, self::limits(limits)),
        Fact::new("warn_at", threshold(limits, Bands::warn_at)),
        Fact::new("hard_at", threshold(limits, Bands::hard_at)),
        Fact::new("group", or_none(group.as_ref())),
        Fact::new("cost", cost.to_string()),
        Fact::new("consistency", consistency.word()),
        Fact::new("on_failure", on_failure.word()),
    ]
}

fn of_response(response: &Response) -> [Fact; 3] {
    let Response { status, message, retry_after_s } = response;
    [
        Fact::new("response.status", or_none(*status)),
        Fact::new("response.message", quoted(message.as_deref())),
        Fact::new("response.retry_after", or_none(*retry_after_s)),
    ]
}

/// Every field of a tier.
pub(super) fn of_tier(tier: &Tier) -> Vec<Fact> {
    let Tier { name, rank, default } = tier;
    vec![
        Fact::new("name", name.as_str()),
        Fact::new("rank", rank.to_string()),
        Fact::new("default", or_none(default.as_ref().map(limits_and_thresholds))),
    ]
}

/// Overrides by what they are about.
type ByName<'a> = BTreeMap<String, (Vec<&'a Override>, Vec<&'a Override>)>;

pub(super) fn compare(before: &[Override], after: &[Override]) -> Vec<Difference> {
    let mut by_name = ByName::new();
    for exception in before {
        by_name.entry(name(exception)).or_default().0.push(exception);
    }
    for exception in after {
        by_name.entry(name(exception)).or_default().1.push(exception);
    }
    let mut differences = Vec::new();
    for (name, (old, new)) in &by_name {
        let (old, new) = without_common_ends(old, new);
        let pairs = old.len().max(new.len());
        let pairs = (0..pairs).map(|place| (old.get(place).copied(), new.get(place).copied()));
        differences.extend(pairs.filter_map(|(old, new)| one(name, old, new)));
    }
    differences
}

fn one(name: &str, before: Option<&Override>, after: Option<&Override>) -> Option<Difference> {
    match (before, after) {
        (Some(before), Some(after)) => {
            let fields = changed(&facts(before), &facts(after));
            let counters = Counters::of_overrides(before, after);
            (!fields.is_empty()).then(|| Difference {
                fields,
                counters,
                ..difference(DifferenceKind::Changed, Object::Override, name, &[])
            })
        }
        (Some(gone), None) => {
            Some(difference(DifferenceKind::Removed, Object::Override, name, &facts(gone)))
        }
        (None, Some(new)) => {
            Some(difference(DifferenceKind::Added, Object::Override, name, &facts(new)))
        }
        (None, None) => None,
    }
}

/// What is left when as much as possible is taken from the beginning and the end of both.
fn without_common_ends<'s, 'o>(
    mut old: &'s [&'o Override],
    mut new: &'s [&'o Override],
) -> (&'s [&'o Override], &'s [&'o Override]) {
    while let (Some((first, rest)), Some((other, others))) = (old.split_first(), new.split_first())
        && first == other
    {
        (old, new) = (rest, others);
    }
    while let (Some((last, rest)), Some((other, others))) = (old.split_last(), new.split_last())
        && last == other
    {
        (old, new) = (rest, others);
    }
    (old, new)
}

/// The rule and the key: `login [user=acme]`.
fn name(exception: &Override) -> String {
    let rule = exception.rule.as_ref().map_or("every rule", |rule| rule.as_str());
    let key = exception.key.iter();
    let key: Vec<String> = key.map(|(field, value)| format!("{field}={}", word(value))).collect();
    format!("{rule} [{}]", key.join(", "))
}

fn facts(exception: &Override) -> Vec<Fact> {
    let Override {
        rule: _, // with the key its name
        key: _,
        change,
        until,
        reason,
    } = exception;
    vec![
        Fact::new("limit", self::change(change)),
        Fact::new("until", or_none(until.map(moment))),
        Fact::new("reason", quoted(reason.as_deref())),
    ]
}
