//! An API key as a client reads it: never the key, nor what it hashes to.

use serde_json::{Value, json};
use tollgate_catalog::{EntryBody, KeyBody, StoredEntry};
use tollgate_core::Timestamp;

use super::super::{entries, own_limits, when};

/// What an API key says.
pub(super) fn of(entry: &StoredEntry, now: Timestamp) -> Value {
    match body(entry) {
        Some(body) => entries::stamped(shown(body, now), entry),
        None => entries::stamped(json!({}), entry),
    }
}

/// What is stored of it.
pub(super) const fn body(entry: &StoredEntry) -> Option<&KeyBody> {
    match &entry.body {
        EntryBody::ApiKey(body) => Some(body),
        _ => None,
    }
}

fn shown(body: &KeyBody, now: Timestamp) -> Value {
    let (limits, burst) = own_limits::shown(body.limits.as_ref());
    let former = body.former.map(|(_, until)| until);
    let former = former.filter(|until| *until > now);
    json!({
        "name": &*body.name,
        "begins": &*body.hint,
        "user_id": body.user.as_deref(),
        "org_id": body.org.as_deref(),
        "tier": body.tier.as_deref(),
        "limits": limits,
        "burst": burst,
        "expires_at": body.expires_at.map(when::shown),
        "revoked_at": body.revoked_at.map(when::shown),
        "former_until": former.map(when::shown),
        "state": state(body, now),
    })
}

/// Whether it opens anything.
pub(super) fn state(body: &KeyBody, now: Timestamp) -> &'static str {
    if body.revoked_at.is_some() {
        "revoked"
    } else if body.expires_at.is_some_and(|end| end <= now) {
        "expired"
    } else {
        "active"
    }
}
