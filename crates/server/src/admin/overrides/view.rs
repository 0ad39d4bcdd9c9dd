//! An override as a client reads it.

use serde_json::{Value, json};
use tollgate_catalog::StoredOverride;
use tollgate_rules::document;

use super::super::{call::Call, when};

/// The override, with who made it and whether it counts.
pub(super) fn of(call: &Call, stored: &StoredOverride) -> Value {
    let mut json = document::override_json(&stored.what);
    let removed = stored.removed.as_ref();
    let more = [
        ("id", json!(stored.id.get())),
        ("sequence", json!(stored.seq.get())),
        ("created_by", json!(&*stored.author)),
        ("created_at", json!(when::shown(stored.created_at))),
        ("in_force", json!(counts(call, stored))),
        ("removed_by", json!(removed.map(|removal| &*removal.by))),
        (
            "removed_at",
            json!(removed.map(|removal| when::shown(removal.at))),
        ),
    ];
    if let Value::Object(members) = &mut json {
        members.extend(more.map(|(name, value)| (name.to_owned(), value)));
    }
    json
}

/// Whether it changes anything now: it has not ended, and its rule is there. One whose rule was deleted does not
/// come back with another of the same name.
fn counts(call: &Call, stored: &StoredOverride) -> bool {
    let live = call.state.engine.live();
    let has_rule = match stored.rule_id {
        None => Some(true),
        Some(id) => live.with_snapshot(|snapshot| snapshot.deciding().any(|rule| rule.id == id)),
    };
    stored.is_in_force(call.now()) && has_rule.unwrap_or(false)
}

/// The members that we add to what was written.
pub(super) const OURS: &[&str] = &[
    "id",
    "sequence",
    "created_by",
    "created_at",
    "in_force",
    "removed_by",
    "removed_at",
    "nodes",
];
