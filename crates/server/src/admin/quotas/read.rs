//! Reading quotas.

use std::sync::Arc;

use serde_json::{Value, json};
use tollgate_catalog::{EntryBody, EntryKind, StoredEntry, UsageKind};

use super::super::{
    blocks, call::Call, entries, own_limits, problem::Problem, reply::Reply, route::Outcome, usage,
};

pub(super) async fn list(call: Call) -> Outcome {
    let tier = call.params.text("tier");
    let keeps = |entry: &StoredEntry| match &entry.body {
        EntryBody::Quota(body) => tier.is_none_or(|tier| body.quota.tier.as_deref() == Some(tier)),
        _ => false,
    };
    let found = entries::page(&call, EntryKind::Quota, keeps).await?;
    let seq = found.entries.iter().map(|entry| entry.seq.get()).max();
    let quotas: Vec<Value> = found.entries.iter().map(shown).collect();
    Ok(Reply::json(
        &json!({ "quotas": quotas, "next_cursor": found.next_cursor, "seq": seq }),
    ))
}

/// What is agreed, what was used, and whether the user is blocked. Somebody without a quota has a block at most.
pub(super) async fn read(call: Call) -> Outcome {
    let user = call.in_path("user");
    let found = call
        .reading(call.state.catalog.entry(EntryKind::Quota, user))
        .await?;
    let block = blocks::of_user(&call, user).await?;
    let Some(entry) = found else {
        let problem = entries::unknown(EntryKind::Quota, user);
        return Err(problem.with("block", block));
    };
    let used = usage::of(&call, UsageKind::User, Arc::clone(&entry.id)).await?;
    let body = entries::with(shown(&entry), "usage", used);
    let body = entries::with(body, "block", json!(block));
    Ok(Reply::json(&body).sequence(entry.seq))
}

/// What is agreed with a user.
pub(super) fn shown(entry: &StoredEntry) -> Value {
    let EntryBody::Quota(body) = &entry.body else {
        return entries::stamped(json!({}), entry);
    };
    let (limits, burst) = own_limits::shown(body.quota.limits.as_ref());
    let json = json!({
        "user_id": &*body.quota.user,
        "tier": body.quota.tier.as_deref(),
        "limits": limits,
        "burst": burst,
    });
    entries::stamped(json, entry)
}

/// The user that the path names, as requests have it.
pub(super) fn user(call: &Call) -> Result<Arc<str>, Problem> {
    let given = call.in_path("user");
    match tollgate_rules::normalise::identifier(given) {
        Ok(Some(user)) => Ok(user.into()),
        Ok(None) => Err(wrong("must not be empty")),
        Err(error) => Err(wrong(&error.to_string())),
    }
}

fn wrong(message: &str) -> Problem {
    let error = json!({ "severity": "error", "path": "user", "message": message });
    Problem::invalid(format!("user {message}"), vec![error])
}
