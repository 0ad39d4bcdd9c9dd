//! Looking at counters, and making them fresh.

use axum::http::StatusCode;
use serde_json::{Value, json};
use tollgate::{Action, Cost};

use super::{
    super::{call::Call, problem::Problem, reply::Reply, route::Outcome},
    convert,
    facts::{self, Asked},
};
use crate::{
    engine::{Answer, Ask, CounterOp, Refusal},
    record::Counters,
    telemetry::{Hot, TopKeys},
};

/// How many keys are shown, if nobody says.
const TOP: u64 = 20;

pub(super) async fn peek(call: Call) -> Outcome {
    let facts = asked(&call)?;
    shown(&call, &facts).await
}

pub(super) async fn reset(call: Call) -> Outcome {
    let facts = asked(&call)?;
    look(&call, &facts, Action::Reset).await?;
    let what = Counters::of(&facts.query()?, call.params.text("rule"));
    call.state.authority.record().reset(call.author(), what);
    shown(&call, &facts).await
}

/// The facts that the query holds: at least one, or a rule.
fn asked(call: &Call) -> Result<Asked, Problem> {
    let directory = call.state.engine.live().directory();
    let facts = Asked::new(facts::in_query(&call.params), directory);
    if !facts.query()?.has_facts() && call.params.text("rule").is_none() {
        let detail = "give at least one fact, for example user_id=alice";
        return Err(Problem::bad(detail));
    }
    Ok(facts)
}

/// The counters as they are, and what the next request would hear.
async fn shown(call: &Call, facts: &Asked) -> Outcome {
    let mut free = facts.clone();
    free.facts.cost = Some(Cost::new(0));
    let now = look(call, &free, Action::Peek).await?;
    let next = look(call, facts, Action::Peek).await?;
    let engine = &call.state.engine;
    let keys = convert::keys(engine.live(), &facts.query()?, call.now());
    let counting = engine.counting();
    Ok(Reply::json(&convert::counters(
        &now, &next, counting, &keys,
    )))
}

async fn look(call: &Call, facts: &Asked, action: Action) -> Result<Answer, Problem> {
    let rule = call.params.text("rule");
    let ask = Ask::new(facts.query()?);
    let answer = call
        .state
        .engine
        .inspect(CounterOp { action, rule }, &ask)
        .await;
    answer.map_err(|refusal| refused(&refusal))
}

pub(super) fn refused(refusal: &Refusal) -> Problem {
    let detail = refusal.to_string();
    match refusal {
        Refusal::NoSnapshot => no_rules(detail),
        Refusal::UnknownRule(_) => Problem::not_found(detail),
        Refusal::Counters(_) => {
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "counters", detail).retry_after_s(1)
        }
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
        "sampled_one_in": TopKeys::SAMPLED,
        "node": call.state.node.as_str(),
    });
    Ok(Reply::json(&body))
}
