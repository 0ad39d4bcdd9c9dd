//! Writing quotas.

use std::sync::Arc;

use axum::http::header::IF_MATCH;
use serde_json::{Value, json};
use tollgate_catalog::{EntryAt, EntryBody, EntryKind, Goal, QuotaBody, StoredEntry, UsageKind};
use tollgate_rules::Quota;

use super::super::{
    blocks, call::Call, entries, etag, form::Form, own_limits, problem::Problem, reply::Reply,
    route::Outcome, tier, trouble, usage,
};

pub(super) async fn put(call: Call) -> Outcome {
    let user = user(&call)?;
    let mut form = Form::read(&call)?;
    let mut quota = Quota::new(Arc::clone(&user));
    quota.tier = tier::declared(&call, &mut form).await?.fresh();
    quota.limits = own_limits::read(&call, &mut form).fresh();
    form.done()?;
    let catalog = &call.state.catalog;
    let found = call.reading(catalog.entry(EntryKind::Quota, &user)).await?;
    if let Some(found) = &found {
        etag::seen(&call.headers, &format!("the quota of {user}"), found.seq)?;
    }
    if call.is_dry() {
        let body = json!({ "dry_run": true, "user_id": &*user, "changed": !is_so(found.as_ref(), &quota) });
        return Ok(Reply::json(&body));
    }
    let is_conditional = call.headers.contains_key("if-match");
    let at = match &found {
        Some(found) if is_conditional => {
            EntryAt::Id { id: Arc::clone(&user), seen: Some(found.seq) }
        }
        _ => EntryAt::Either(Arc::clone(&user)),
    };
    let body = EntryBody::Quota(QuotaBody { quota });
    let written = entries::put(&call, at, body).await?;
    let nodes = call.confirmed(Goal::Overrides(written.seq)).await;
    let body = entries::with(shown(&written.entry), "nodes", nodes);
    let reply = Reply::json(&body).sequence(written.seq);
    Ok(match found {
        Some(_) => reply,
        None => reply.created(call.path().to_owned()),
    })
}

fn is_so(found: Option<&StoredEntry>, quota: &Quota) -> bool {
    let body = found.map(|found| &found.body);
    matches!(body, Some(EntryBody::Quota(body)) if body.quota == *quota)
}

pub(super) async fn remove(call: Call) -> Outcome {
    let user = user(&call)?;
    let entry = entries::known(&call, EntryKind::Quota, &user).await?;
    etag::seen(&call.headers, &format!("the quota of {user}"), entry.seq)?;
    if call.is_dry() {
        return Ok(Reply::json(&json!({ "dry_run": true, "user_id": &*user, "changed": true })));
    }
    let author = call.author();
    // Whoever said what it saw is held to it in the write itself.
    let has_seen = call.headers.contains_key(IF_MATCH);
    let seen = has_seen.then_some(entry.seq);
    let removed = call.state.catalog.remove_seen(EntryKind::Quota, &user, seen, &author).await;
    let removed = removed.map_err(|error| trouble::problem(&error))?;
    let removed = removed.ok_or_else(|| gone(&user))?;
    let body = json!({
        "user_id": &*user,
        "changed": true,
        "seq": removed.seq.get(),
        "nodes": call.confirmed(Goal::Overrides(removed.seq)).await,
    });
    Ok(Reply::json(&body))
}

fn gone(user: &str) -> Problem {
    entries::unknown(EntryKind::Quota, user)
}

pub(super) async fn list(call: Call) -> Outcome {
    let tier = call.params.text("tier");
    let keeps = |entry: &StoredEntry| match &entry.body {
        EntryBody::Quota(body) => tier.is_none_or(|tier| body.quota.tier.as_deref() == Some(tier)),
        _ => false,
    };
    let found = entries::page(&call, EntryKind::Quota, keeps).await?;
    let seq = found.entries.iter().map(|entry| entry.seq.get()).max();
    let quotas: Vec<Value> = found.entries.iter().map(shown).collect();
    Ok(Reply::json(&json!({ "quotas": quotas, "next_cursor": found.next_cursor, "seq": seq })))
}

/// What is agreed, what was used, and whether the user is blocked. Somebody without a quota has a block at most.
pub(super) async fn read(call: Call) -> Outcome {
    let user = call.in_path("user");
    let found = call.reading(call.state.catalog.entry(EntryKind::Quota, user)).await?;
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
