//! `/ratelimit/usage`, and what others show of it.

use std::sync::Arc;

use serde_json::{Value, json};
use tollgate_catalog::{Usage, UsageKind};

use super::{
    call::Call,
    entries,
    masked::masked,
    problem::Problem,
    reply::Reply,
    route::{Kind, Outcome, Route, Verb, query},
    shared::json_of,
    when,
};
use crate::authority::Permission;

pub(super) const ROUTES: &[Route] = &[Route {
    verb: Verb::Get,
    path: "/ratelimit/usage",
    name: "readUsage",
    about: "What a user with a quota, or an API key, has used over all nodes: told by each node every few seconds",
    permission: Permission::Read,
    params: &[&[
        query("user_id", Kind::Text(1_024), "The user"),
        query("api_key", Kind::Text(1_024), "The API key, by its id"),
    ]],
    body: None,
    replies: &[json_of(200, "What was used", "UsageOf")],
    problems: &[],
    handler: |call| Box::pin(read(call)),
}];

async fn read(call: Call) -> Outcome {
    let (user, key) = (call.params.text("user_id"), call.params.text("api_key"));
    let (kind, id) = match (user, key) {
        (Some(user), None) => (UsageKind::User, user),
        (None, Some(key)) => (UsageKind::ApiKey, key),
        _ => return Err(Problem::bad("give either user_id or api_key (its id)")),
    };
    let used = of(&call, kind, id.into()).await?;
    let named = match kind {
        UsageKind::ApiKey => ("api_key", id),
        _ => ("user_id", id),
    };
    Ok(Reply::json(&entries::with(used, named.0, json!(masked(named.1)))))
}

/// What one of them has used.
pub(super) async fn of(call: &Call, kind: UsageKind, id: Arc<str>) -> Result<Value, Problem> {
    let now = call.now();
    let used = call.reading(call.state.catalog.usage(kind, &[id], now)).await?;
    Ok(shown(&used.into_iter().next().unwrap_or_default()))
}

/// Numbers as a client reads them.
pub(super) fn shown(usage: &Usage) -> Value {
    let pair = |(allowed, denied): (u64, u64)| json!({ "allowed": allowed, "denied": denied });
    json!({
        "today": pair(usage.today),
        "month": pair(usage.month),
        "total": pair(usage.total),
        "exceeded": usage.total.1,
        "last_at": usage.last_at.map(when::shown),
    })
}
