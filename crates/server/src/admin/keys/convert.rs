//! From an answer of the engine to what a client reads.

use serde_json::{Value, json};
use tollgate::Met;
use tollgate_core::{Decision, Micros, Timestamp};
use tollgate_rules::document;

use crate::{admin::Health, engine::Answer};

/// Every counter, and whether a request would pass.
pub(super) fn counters(answer: &Answer) -> Value {
    let ruling = &answer.ruling;
    let counters = ruling
        .decisions()
        .map(|(met, decision)| counter(met, decision, answer.at));
    let counters: Vec<Value> = counters.collect();
    json!({
        "revision": ruling.revision(),
        "allowed": ruling.is_allowed(),
        "blocked": !ruling.is_allowed() && counters.is_empty(),
        "rule": ruling.rule().map(|rule| rule.name.as_str()),
        "counters": counters,
        "consistency": Health::LOCAL_COUNTERS,
    })
}

fn counter(met: &Met, decision: &Decision, at: Timestamp) -> Value {
    let micros = u64::try_from(decision.reset_after().as_micros()).unwrap_or(u64::MAX);
    let reset = at.saturating_add(Micros::new(micros)).as_secs_ceil();
    let wait = decision.retry_after().filter(|_| !decision.is_allowed());
    let wait = wait.map(|wait| wait.as_secs() + u64::from(wait.subsec_nanos() > 0));
    json!({
        "rule": met.rule.name.as_str(),
        "rule_id": document::rule_json(&met.rule)["id"],
        "period": met.period.to_string(),
        "window_s": met.period.length().as_secs_ceil(),
        "limit": decision.limit(),
        "remaining": decision.remaining(),
        "reset": reset,
        "allowed": decision.is_allowed(),
        "retry_after": wait,
        "overridden": met.is_overridden,
    })
}
