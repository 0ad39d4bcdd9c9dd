//! Why a request meets the limits it meets.

use std::sync::Arc;

use axum::http::StatusCode;
use serde_json::Value;

use super::{
    super::{call::Call, problem::Problem, reply::Reply, route::Outcome},
    facts, status,
};

pub(super) async fn explain(call: Call) -> Outcome {
    let facts = facts::in_json(&call)?;
    if !facts.query()?.has_facts() {
        return Err(Problem::bad("give at least one fact, for example user_id"));
    }
    let live = Arc::clone(call.state.engine.live());
    let Some(snapshot) = live.snapshot() else {
        return Err(status::no_rules(tollgate::NoSnapshot.to_string()));
    };
    let now = call.now();
    let counting = call.state.engine.counting();
    // Thousands of rules take a while; the threads that serve requests are not for that.
    let told = tokio::task::spawn_blocking(move || {
        let query = facts.query().ok()?;
        let explanation = snapshot.explain(&query, live.directory(), now);
        let story = counting.story(&explanation);
        Some((explanation.to_json(), story))
    });
    let Ok(Some((mut told, story))) = told.await else {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        return Err(Problem::new(
            status,
            "failed",
            "the request could not be explained",
        ));
    };
    if let Value::Object(members) = &mut told {
        members.insert("consistency".to_owned(), story.into());
    }
    Ok(Reply::json(&told))
}
