//! What a write to the rules puts on record.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::Noted;
use crate::{
    Author, ItemKey, ItemKind, Revision, RevisionNumber,
    catalog::plan::Opened,
    codec,
    item::{Item, Items},
};

/// An item with what it was before and what it is now.
#[derive(Debug)]
pub(in crate::catalog) struct Change {
    kind: ItemKind,
    /// What people call it; for what has no name, its id.
    id: String,
    before: Option<String>,
    after: Option<String>,
}

/// What a plan changes. An item that only moved up or down the file is no change, nor is what everything begins with.
pub(in crate::catalog) fn changes(
    head: &Revision,
    opened: &[Opened],
    closed: &[ItemKey],
) -> Vec<Change> {
    let touched: BTreeSet<&ItemKey> =
        closed.iter().chain(opened.iter().map(|opened| &opened.key)).collect();
    let former = former(head, &touched);
    let now: BTreeMap<&ItemKey, &Item> =
        opened.iter().map(|opened| (&opened.key, &opened.item)).collect();
    let mut changes = Vec::new();
    for key in touched {
        let (before, after) = (former.get(key), now.get(key).copied());
        let is_same = before.is_some_and(|before| {
            after.is_some_and(|after| before.name == after.name && before.body == after.body)
        });
        let Some(item) = after.or(before).filter(|_| !is_same) else {
            continue;
        };
        let id = match key.kind {
            ItemKind::Override => &key.id,
            _ => &item.name,
        };
        changes.push(Change {
            kind: key.kind,
            id: id.to_string(),
            before: before.map(|item| item.body.clone()),
            after: after.map(|item| item.body.clone()),
        });
    }
    changes
}

/// What was there of what is touched; rules that are not are never written out.
fn former(head: &Revision, touched: &BTreeSet<&ItemKey>) -> Items {
    let is_touched = |id: String| touched.contains(&ItemKey::new(ItemKind::Rule, id));
    codec::items_except(&head.set, |rule| !is_touched(rule.id.to_string()))
}

/// The rows of a write to the rules; a rollback has one of its own, which says to where.
pub(in crate::catalog) fn noted(
    author: &Author,
    revision: RevisionNumber,
    back_to: Option<RevisionNumber>,
    changes: Vec<Change>,
) -> Vec<Noted> {
    let mut rows = Vec::with_capacity(changes.len().saturating_add(1));
    if let Some(back_to) = back_to {
        let after = json!({ "back_to": back_to.get(), "changed": changes.len() });
        let object = ("revision", &*revision.to_string());
        let action = "revision.rollback".to_owned();
        rows.push(Noted::done(author, action, object, None, Some(after.to_string())));
    }
    for change in changes {
        let word = match (change.kind, &change.before, &change.after) {
            (ItemKind::Setting, ..) | (_, Some(_), Some(_)) => "update",
            (ItemKind::Override, Some(_), None) => "remove",
            (_, Some(_), None) => "delete",
            (_, None, _) => "create",
        };
        let action = format!("{}.{word}", change.kind);
        let object = (change.kind.word(), &*change.id);
        rows.push(Noted::done(author, action, object, change.before, change.after));
    }
    rows
}
