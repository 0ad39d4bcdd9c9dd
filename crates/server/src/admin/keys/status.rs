//! Looking at counters, and making them fresh.

use axum::http::StatusCode;
use serde_json::{Value, json};
use tollgate::Action;

use super::{
    super::{call::Call, problem::Problem, reply::Reply, route::Outcome},
    convert, facts,
};
use crate::{
    engine::{Ask, Deed, Refusal},
    telemetry::{Hot, TopKeys},
};

/// How many keys are shown, if nobody says.
const TOP: u64 = 20;

pub(super) async fn peek(call: Call) -> Outcome {
    look(&call, Action::Peek)
}

pub(super) async fn reset(call: Call) -> Outcome {
    look(&call, Action::Reset)
}

fn look(call: &Call, action: Action) -> Outcome {
    let facts = facts::in_query(&call.params);
    let query = facts::query(&facts)?;
    let rule = call.params.text("rule");
    if !query.has_facts() && rule.is_none() {
        return Err(Problem::bad(
            "give at least one fact, for example user_id=alice",
        ));
    }
    let answer = call
        .state
        .engine
        .inspect(Deed { action, rule }, &Ask::new(query));
    let answer = answer.map_err(|refusal| refused(&refusal))?;
    Ok(Reply::json(&convert::counters(&answer)))
}

pub(super) fn refused(refusal: &Refusal) -> Problem {
    let detail = refusal.to_string();
    match refusal {
        Refusal::NoSnapshot => no_rules(detail),
        Refusal::UnknownRule(_) => Problem::not_found(detail),
        Refusal::RequestIdTaken => Problem::new(StatusCode::CONFLICT, "request-id", detail),
    }
}

/// Nothing was ever published.
pub(super) fn no_rules(detail: String) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no-rules", detail).retry_after_s(1)
}

pub(super) async fn top(call: Call) -> Outcome {
    let limit = call.params.whole("limit").unwrap_or(TOP);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let top = call.state.engine.recorder().top().list(limit);
    let key = |hot: &Hot| json!({ "rule": hot.rule, "key": hot.key, "count": hot.requests, "error": hot.error });
    let body = json!({
        "keys": top.keys.iter().map(key).collect::<Vec<Value>>(),
        "span_s": top.span.as_secs_ceil(),
        "sampled": TopKeys::SAMPLED,
        "node": call.state.node.as_str(),
    });
    Ok(Reply::json(&body))
}
