//! Writing quotas.

use std::sync::Arc;

use axum::http::header::IF_MATCH;
use serde_json::json;
use tollgate_catalog::{EntryAt, EntryBody, EntryKind, Goal, QuotaBody};
use tollgate_rules::Quota;

use super::{
    super::{
        call::Call, entries, etag, form::Form, own_limits, problem::Problem, reply::Reply,
        route::Outcome, tier, trouble,
    },
    read,
};

pub(super) async fn put(call: Call) -> Outcome {
    let user = read::user(&call)?;
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
        Some(found) if is_conditional => EntryAt::Id {
            id: Arc::clone(&user),
            seen: Some(found.seq),
        },
        _ => EntryAt::Either(Arc::clone(&user)),
    };
    let body = EntryBody::Quota(QuotaBody { quota });
    let written = entries::put(&call, at, body).await?;
    let nodes = call.confirmed(Goal::Overrides(written.seq)).await;
    let body = entries::with(read::shown(&written.entry), "nodes", nodes);
    let reply = Reply::json(&body).sequence(written.seq);
    Ok(match found {
        Some(_) => reply,
        None => reply.created(call.path().to_owned()),
    })
}

fn is_so(found: Option<&tollgate_catalog::StoredEntry>, quota: &Quota) -> bool {
    let body = found.map(|found| &found.body);
    matches!(body, Some(EntryBody::Quota(body)) if body.quota == *quota)
}

pub(super) async fn remove(call: Call) -> Outcome {
    let user = read::user(&call)?;
    let entry = entries::known(&call, EntryKind::Quota, &user).await?;
    etag::seen(&call.headers, &format!("the quota of {user}"), entry.seq)?;
    if call.is_dry() {
        return Ok(Reply::json(
            &json!({ "dry_run": true, "user_id": &*user, "changed": true }),
        ));
    }
    let author = call.author();
    // Whoever said what it saw is held to it in the write itself.
    let has_seen = call.headers.contains_key(IF_MATCH);
    let seen = has_seen.then_some(entry.seq);
    let removed = call
        .state
        .catalog
        .remove_seen(EntryKind::Quota, &user, seen, &author)
        .await;
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
