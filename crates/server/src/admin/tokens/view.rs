//! Tokens as a client reads them: never the token, nor what it hashes to.

use serde_json::{Value, json};
use tollgate_catalog::{EntryBody, EntryKind, Lineage, StoredEntry, TokenBody};
use tollgate_core::Timestamp;

use super::super::{call::Call, entries, reply::Reply, route::Outcome, when};

pub(super) async fn list(call: Call) -> Outcome {
    let now = call.now();
    let found = entries::page(&call, EntryKind::Token, |_| true).await?;
    let seq = found.entries.iter().map(|entry| entry.seq.get()).max();
    let tokens: Vec<Value> = found.entries.iter().map(|entry| of(entry, now)).collect();
    Ok(Reply::json(
        &json!({ "tokens": tokens, "next_cursor": found.next_cursor, "seq": seq }),
    ))
}

pub(super) async fn read(call: Call) -> Outcome {
    let entry = entries::known(&call, EntryKind::Token, call.in_path("id")).await?;
    Ok(Reply::json(&of(&entry, call.now())).sequence(entry.seq))
}

/// What is stored of it.
pub(super) const fn body(entry: &StoredEntry) -> Option<&TokenBody> {
    match &entry.body {
        EntryBody::Token(body) => Some(body),
        _ => None,
    }
}

/// A token without the token.
pub(super) fn of(entry: &StoredEntry, now: Timestamp) -> Value {
    let Some(body) = body(entry) else {
        return entries::stamped(json!({}), entry);
    };
    let state = if body.revoked_at.is_some() {
        "revoked"
    } else if body.expires_at.is_some_and(|end| end <= now) {
        "expired"
    } else {
        "active"
    };
    let scopes = body.scopes.as_ref();
    let scopes = scopes.map(|scopes| scopes.iter().map(|scope| &**scope).collect::<Vec<&str>>());
    let json = json!({
        "name": &*body.name,
        "begins": &*body.hint,
        "role": &*body.role,
        "scopes": scopes,
        "issuers": body.issuers.as_ref().map(Lineage::words),
        "expires_at": body.expires_at.map(when::shown),
        "revoked_at": body.revoked_at.map(when::shown),
        "state": state,
    });
    entries::stamped(json, entry)
}
