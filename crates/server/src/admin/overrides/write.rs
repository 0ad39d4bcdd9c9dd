//! Making and ending overrides.

use axum::http::StatusCode;
use serde_json::{Value, json};
use tollgate_catalog::{CatalogError, Draft, Goal, OVERRIDES_BATCH_MAX, OverridesWritten};
use tollgate_rules::{
    Action, Override, RuleSet, document,
    review::{Flaw, Severity, review_overrides},
};
use tollgate_wire::admin::{items, without};

use super::{
    super::{
        call::Call,
        fits,
        problem::Problem,
        reply::Reply,
        route::Outcome,
        trouble::{self, Begin},
    },
    bounds, list, standing, view,
};

pub(super) async fn create(call: Call) -> Outcome {
    let overrides = sent(&call)?;
    refuse_ended(&call, &overrides)?;
    let head = call.latest().await?;
    let fitted: Vec<Override> = overrides.into_iter().map(|it| fit(&head.set, it)).collect();
    let flaws = review_overrides(&head.set, &fitted);
    let is_error = |flaw: &&Flaw| flaw.severity == Severity::Error;
    let (errors, warnings): (Vec<&Flaw>, Vec<&Flaw>) = flaws.iter().partition(is_error);
    if !errors.is_empty() {
        let errors = errors.into_iter().map(trouble::flaw).collect();
        return Err(Problem::invalid(
            "an override does not fit the rules",
            errors,
        ));
    }
    bounds::hold(&call, &head.set, &fitted)?;
    standing::hold(&call, &head.set, &fitted).await?;
    fits::overrides(&call, &head.set, &fitted)?;
    let warnings: Vec<Value> = warnings.into_iter().map(trouble::flaw).collect();
    let shown: Vec<Value> = fitted.iter().map(document::override_json).collect();
    if call.is_dry() {
        let body = json!({ "dry_run": true, "overrides": shown, "warnings": warnings });
        return Ok(Reply::json(&body));
    }
    let drafts = fitted.into_iter().map(Draft::from).collect();
    let author = call.author();
    let written = call.state.catalog.put_overrides(drafts, &author).await;
    let written = written.map_err(|error| trouble::problem(&error))?;
    Ok(made(&call, &written, shown, warnings).await)
}

async fn made(
    call: &Call,
    written: &OverridesWritten,
    mut shown: Vec<Value>,
    warnings: Vec<Value>,
) -> Reply {
    for (json, id) in shown.iter_mut().zip(&written.ids) {
        if let Value::Object(members) = json {
            members.insert("id".to_owned(), json!(id.get()));
        }
    }
    let ids: Vec<u64> = written.ids.iter().map(|id| id.get()).collect();
    let body = json!({
        "ids": ids,
        "overrides": shown,
        "sequence": written.seq.get(),
        "warnings": warnings,
        "nodes": call.confirmed(Goal::Overrides(written.seq)).await,
    });
    let reply = Reply::json(&body);
    match ids.as_slice() {
        [id] => reply.created(format!("/ratelimit/overrides/{id}")),
        _ => reply.status(StatusCode::CREATED),
    }
}

pub(super) async fn remove(call: Call) -> Outcome {
    let stored = list::known(&call).await?;
    standing::may_end(&call, &stored).await?;
    let id = stored.id;
    if call.is_dry() {
        let body = json!({
            "dry_run": true,
            "id": id.get(),
            "changed": stored.removed.is_none(),
            "override": view::of(&call, &stored),
        });
        return Ok(Reply::json(&body));
    }
    let author = call.author();
    let removed = call.state.catalog.remove_overrides(&[id], &author).await;
    let removed = removed.map_err(|error: CatalogError| trouble::problem(&error))?;
    let body = json!({
        "id": id.get(),
        "changed": !removed.ids.is_empty(),
        "sequence": removed.seq.get(),
        "nodes": call.confirmed(Goal::Overrides(removed.seq)).await,
    });
    Ok(Reply::json(&body))
}

/// One override, or a list of them: all that is wrong with any is told at once.
fn sent(call: &Call) -> Result<Vec<Override>, Problem> {
    let Some(items) = items(&call.body) else {
        let text = without(&call.body, view::OURS);
        let read = document::read_override(&text);
        return read
            .map(|it| vec![it])
            .map_err(|report| trouble::refused(&report));
    };
    if items.is_empty() || items.len() > OVERRIDES_BATCH_MAX {
        let count = items.len();
        let detail = format!("{count} overrides given, from 1 to {OVERRIDES_BATCH_MAX} are taken");
        return Err(Problem::bad(detail));
    }
    let (mut read, mut errors) = (Vec::with_capacity(items.len()), Vec::new());
    for (index, (before, item)) in items.into_iter().enumerate() {
        match document::read_override(&without(item, view::OURS)) {
            Ok(it) => read.push(it),
            Err(report) if errors.len() < ERRORS_MAX => {
                let path = format!("/{index}");
                errors.extend(trouble::found(&report, Begin::after(before), Some(&path)));
            }
            Err(_) => break,
        }
    }
    match errors.is_empty() {
        true => Ok(read),
        false => Err(Problem::invalid("not every override can be read", errors)),
    }
}

/// The most overrides whose errors are told.
const ERRORS_MAX: usize = 200;

fn refuse_ended(call: &Call, overrides: &[Override]) -> Result<(), Problem> {
    let now = call.now();
    let ended = overrides
        .iter()
        .enumerate()
        .filter(|(_, it)| it.until.is_some_and(|end| end <= now));
    let errors: Vec<Value> = ended.map(|(index, _)| ended_already(index)).collect();
    match errors.is_empty() {
        true => Ok(()),
        false => Err(Problem::invalid(
            "an override would have ended already",
            errors,
        )),
    }
}

fn ended_already(index: usize) -> Value {
    json!({
        "severity": "error",
        "path": "until",
        "at": format!("override {}", index.saturating_add(1)),
        "message": "until is in the past",
        "help": "give a moment to come, or leave it out",
    })
}

/// An address as the rule counts it.
fn fit(set: &RuleSet, exception: Override) -> Override {
    let rule = exception.rule.as_ref().and_then(|name| set.rules.get(name));
    match rule.map(|rule| &rule.action) {
        Some(Action::Throttle(throttle)) => exception.fitted(&throttle.key),
        _ => exception,
    }
}
