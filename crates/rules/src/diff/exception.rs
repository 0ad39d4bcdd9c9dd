//! Differences between overrides. Several may be about one key, and then their order counts.

use std::collections::BTreeMap;

use super::{
    Counters, Difference, DifferenceKind, Object,
    compare::{changed, difference},
    facts::Fact,
    words::{self, or_none, quoted, word},
};
use crate::Override;

/// Overrides by what they are about.
type ByName<'a> = BTreeMap<String, (Vec<&'a Override>, Vec<&'a Override>)>;

pub(super) fn compare(before: &[Override], after: &[Override]) -> Vec<Difference> {
    let mut by_name = ByName::new();
    for exception in before {
        by_name
            .entry(name(exception))
            .or_default()
            .0
            .push(exception);
    }
    for exception in after {
        by_name
            .entry(name(exception))
            .or_default()
            .1
            .push(exception);
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
        (Some(gone), None) => Some(difference(
            DifferenceKind::Removed,
            Object::Override,
            name,
            &facts(gone),
        )),
        (None, Some(new)) => Some(difference(
            DifferenceKind::Added,
            Object::Override,
            name,
            &facts(new),
        )),
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
    let rule = exception
        .rule
        .as_ref()
        .map_or("every rule", |rule| rule.as_str());
    let key = exception.key.iter();
    let key: Vec<String> = key
        .map(|(field, value)| format!("{field}={}", word(value)))
        .collect();
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
        Fact::new("limit", words::change(change)),
        Fact::new("until", or_none(until.map(words::moment))),
        Fact::new("reason", quoted(reason.as_deref())),
    ]
}
