//! The order of a rule's fields.

use super::tree::{Collection, Entry, File, Kind, Value};

/// The fields of a rule, in order; any other comes after them.
const RULE: [&str; 20] = [
    "name",
    "renamed_from",
    "match",
    "key",
    "missing",
    "limit",
    "limits",
    "algorithm",
    "priority",
    "group",
    "cost",
    "action",
    "consistency",
    "on_failure",
    "response",
    "warn_at",
    "hard_at",
    "enabled",
    "owner",
    "reason",
];

/// Puts the fields of every rule in order, unless an alias could come before its anchor.
pub(super) fn order(file: &mut File) {
    if file.has_anchors {
        return;
    }
    let rules = file
        .root
        .entries
        .iter_mut()
        .filter(|entry| is_named(entry, "rules"));
    for list in rules.filter_map(collection) {
        for rule in list.entries.iter_mut().filter_map(collection) {
            if rule.kind == Kind::Mapping {
                rule.entries.sort_by_key(rank);
            }
        }
    }
}

/// Where a field of a rule stands among the others.
pub(in crate::document) fn place_in_rule(field: &str) -> usize {
    let place = RULE.iter().position(|name| *name == field);
    place.unwrap_or(RULE.len())
}

fn rank(entry: &Entry) -> usize {
    let name = entry.key.as_ref().map(|key| place_in_rule(&key.text));
    name.unwrap_or(RULE.len())
}

fn is_named(entry: &Entry, name: &str) -> bool {
    entry.key.as_ref().is_some_and(|key| key.text == name)
}

const fn collection(entry: &mut Entry) -> Option<&mut Collection> {
    match &mut entry.value.value {
        Value::Collection(collection) => Some(collection),
        _ => None,
    }
}
