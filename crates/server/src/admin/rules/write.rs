//! Writing rules.

use std::sync::Arc;

use serde_json::{Value, json};
use tollgate_catalog::{Edit, Expect, Revision, RevisionNumber, Step};
use tollgate_rules::{Name, Rule, document, review::Locus};
use tollgate_wire::admin::without;

use super::{
    super::{
        call::Call,
        change::{self, Change, Made, Twice},
        etag, fits,
        problem::Problem,
        reply::Reply,
        route::Outcome,
        trouble,
    },
    view,
};

pub(super) async fn create(call: Call) -> Outcome {
    call.needs_ownership()?;
    let rule = sent(&call, None)?;
    let name = rule.name.clone();
    let edit = Edit::new(call.author()).step(Step::put(rule), Expect::Absent);
    let location = |revision: &Revision| {
        let rule = revision.set.rules.get(&name)?;
        let json = document::rule_json(rule);
        Some(format!("/ratelimit/rules/{}", json.get("id")?.as_str()?))
    };
    match change::make(&call, edit, Twice::Conflict).await? {
        Change::Dry(dry) => Ok(dry.reply(&|at| is_about(at, &name))),
        Change::Made(made) => {
            let location = location(&made.revision).unwrap_or_default();
            Ok(written(&call, &made, &name).await.created(location))
        }
    }
}

pub(super) async fn replace(call: Call) -> Outcome {
    call.needs_ownership()?;
    let head = call.latest().await?;
    let before = view::found(&head.set, call.in_path("id"))?;
    let subject = format!("rule {}", before.name);
    let expect = etag::expected(&call.headers, &subject, view::version(&head, before))?;
    let rule = sent(&call, Some(before))?;
    let name = rule.name.clone();
    let step = Step::rename(before.name.clone(), rule);
    let edit = Edit::new(call.author()).step(step, expect);
    match change::make(&call, edit, Twice::Fine).await? {
        Change::Dry(dry) => Ok(dry.reply(&|at| is_about(at, &name))),
        Change::Made(made) => Ok(written(&call, &made, &name).await),
    }
}

pub(super) async fn remove(call: Call) -> Outcome {
    call.needs_ownership()?;
    let head = call.latest().await?;
    let before = Arc::clone(view::found(&head.set, call.in_path("id"))?);
    let subject = format!("rule {}", before.name);
    let expect = etag::expected(&call.headers, &subject, view::version(&head, &before))?;
    let step = Step::remove(before.name.clone());
    let edit = Edit::new(call.author()).step(step, expect);
    match change::make(&call, edit, Twice::Conflict).await? {
        Change::Dry(dry) => Ok(dry.reply(&|_| false)),
        Change::Made(made) => {
            let rule = document::rule_json(&before);
            let gone = json!({ "id": rule.get("id"), "name": before.name.as_str() });
            Ok(made.reply(&call, gone).await)
        }
    }
}

/// The rule that was sent.
fn sent(call: &Call, before: Option<&Arc<Rule>>) -> Result<Rule, Problem> {
    let text = without(&call.body, view::OURS);
    let rule = document::read_rule(&text).map_err(|report| trouble::refused(&report))?;
    fits::rule(call, &rule)?;
    let first = rule.renamed_from.as_ref().unwrap_or(&rule.name);
    let is_before = before.is_some_and(|before| before.id == rule.id);
    if rule.id == first.rule_id() || is_before {
        return Ok(rule);
    }
    let (detail, help) = match before {
        Some(_) => (
            "the id is that of another rule",
            "leave it out, or send the id that this rule has",
        ),
        None => (
            "the id of a new rule follows from its name",
            "leave it out; renamed_from keeps the id of an earlier name",
        ),
    };
    let error = json!({ "severity": "error", "path": "id", "message": detail, "help": help });
    Err(Problem::invalid(detail, vec![error]))
}

/// The rule as it is after a write.
async fn written(call: &Call, made: &Made, name: &Name) -> Reply {
    let revision = &made.revision;
    let Some(rule) = revision.set.rules.get(name) else {
        // It was there when it was written, and has been taken away since.
        return made.reply(call, json!({ "name": name.as_str() })).await;
    };
    let mut body = view::of(revision, rule);
    if let Value::Object(members) = &mut body {
        let warnings = change::warnings(&revision.set, &|at| is_about(at, name));
        members.insert("warnings".to_owned(), warnings.into());
    }
    let version = view::version(revision, rule).unwrap_or(RevisionNumber::ZERO);
    made.reply(call, body).await.etag(version)
}

fn is_about(at: &Locus, name: &Name) -> bool {
    matches!(at, Locus::Rule { name: named, .. } if named == name)
}
