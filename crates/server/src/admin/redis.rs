//! `/ratelimit/redis/trust`

use axum::http::StatusCode;
use serde_json::json;

use super::{
    call::Call,
    problem::Problem,
    reply::Reply,
    route::{Outcome, Route, Verb},
    shared::json_of,
};
use crate::authority::Permission;

pub(super) const ROUTES: &[Route] = &[Route {
    verb: Verb::Post,
    path: "/ratelimit/redis/trust",
    name: "trustRedis",
    about: "End all doubt about counters that Redis may have lost: what no process has told counts as never spent",
    permission: Permission::Counters,
    params: &[],
    body: None,
    replies: &[json_of(
        200,
        "The shards, and how many were in doubt; other nodes hear of it within a second",
        "Trusted",
    )],
    problems: &[
        (409, "Counters are not shared through Redis"),
        (503, "A server of Redis cannot be told"),
    ],
    handler: |call| Box::pin(trust(call)),
}];

async fn trust(call: Call) -> Outcome {
    let Some(fleet) = call.state.engine.fleet() else {
        let detail =
            "counters are in the memory of this node, not in Redis: there is nothing to trust";
        return Err(Problem::new(StatusCode::CONFLICT, "no-redis", detail));
    };
    let shards = fleet.redis().health().shards;
    let in_doubt = shards.iter().filter(|shard| shard.doubt.is_some()).count();
    if let Err(error) = fleet.redis().trust().await {
        let detail = format!("a server of Redis cannot be told: {error}");
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "redis", detail).retry_after_s(1));
    }
    call.state.authority.record().trusted(call.author());
    let body = json!({ "trusted": true, "shards": shards.len(), "in_doubt": in_doubt });
    Ok(Reply::json(&body))
}
