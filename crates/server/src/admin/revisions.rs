//! `/ratelimit/revisions`

use std::sync::Arc;

use axum::http::header;
use serde_json::{Map, Value, json};
use tollgate_catalog::{Base, Expect, ItemChange, Page, Revision, RevisionInfo, RevisionNumber};
use tollgate_rules::{RuleSet, document};

use super::{
    call::Call,
    change::{self, Dry},
    cursor, etag, fits,
    problem::Problem,
    reply::Reply,
    route::{Content, Kind, Outcome, Param, Route, Told, Verb, path},
    shared::{DRY_RUN, IF_MATCH, PAGE, PAGES, WAIT, WRITER, json_of, versioned},
    trouble, when,
};
use crate::authority::Permission;

const LIST: &str = "revisions";
/// The most changes of a revision that are told one by one.
const CHANGES_MAX: usize = 1_000;

const NUMBER: &[Param] = &[path("n", Kind::Whole(0, u64::MAX >> 1), "The number of the revision")];

pub(super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: "/ratelimit/revisions",
        name: "listRevisions",
        about: "The history, newest first; the ETag names the newest revision",
        permission: Permission::Read,
        params: &[PAGES],
        body: None,
        replies: &[versioned(200, "A page of the history", "RevisionList")],
        problems: &[],
        handler: |call| Box::pin(list(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/ratelimit/revisions/{n}",
        name: "readRevision",
        about: "How a revision came about, and what it changed",
        permission: Permission::Read,
        params: &[NUMBER],
        body: None,
        replies: &[json_of(200, "The revision", "RevisionChanges")],
        problems: &[(404, "There is no such revision")],
        handler: |call| Box::pin(read(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/ratelimit/revisions/{n}/rules",
        name: "exportRevision",
        about: "All that a revision holds, as a rules file: JSON, or YAML for Accept: application/yaml",
        permission: Permission::Read,
        params: &[NUMBER],
        body: None,
        replies: &[Told {
            status: 200,
            about: "The rules file",
            content: Content::JsonOrYaml("RulesFile"),
            headers: &["Tollgate-Revision"],
        }],
        problems: &[(404, "There is no such revision")],
        handler: |call| Box::pin(export(call)),
    },
    Route {
        verb: Verb::Post,
        path: "/ratelimit/revisions/{n}/rollback",
        name: "rollback",
        about: "Make a new revision with the content of this one. If-Match names the newest revision",
        permission: Permission::Rules,
        params: &[NUMBER, IF_MATCH, DRY_RUN, WAIT, WRITER],
        body: None,
        replies: &[versioned(200, "The revision that holds it", "RolledBack")],
        problems: &[
            (404, "There is no such revision"),
            (409, "A file owns the rules"),
            (412, "There is a newer revision than the one named; the difference is in the body"),
            (428, "If-Match is missing"),
        ],
        handler: |call| Box::pin(rollback(call)),
    },
];

async fn list(call: Call) -> Outcome {
    let limit = call.params.whole("limit").unwrap_or(PAGE);
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    let mut page = Page::newest(limit);
    if let Some(after) = call.params.text("cursor") {
        let place = cursor::read(LIST, after)?;
        let number = place.parse().ok().and_then(RevisionNumber::new);
        page = page.before(number.ok_or_else(cursor::bad)?);
    }
    let catalog = &call.state.catalog;
    let head = call.reading(catalog.head()).await?.revision;
    let revisions = call.reading(catalog.history(page)).await?;
    let is_full = u32::try_from(revisions.len()).is_ok_and(|count| count >= limit);
    let last = revisions.last().filter(|_| is_full);
    let next = last.map(|info| cursor::written(LIST, &info.number.to_string()));
    let body = json!({
        "revisions": revisions.iter().map(told).collect::<Vec<Value>>(),
        "next_cursor": next,
        "revision": head.get(),
    });
    Ok(Reply::json(&body).etag(head).revision(head))
}

async fn read(call: Call) -> Outcome {
    let number = number(&call)?;
    let catalog = &call.state.catalog;
    let info = call.reading(catalog.revision(number)).await?;
    let changes = call.reading(catalog.changes(number)).await?;
    let mut body = told(&info);
    if let Value::Object(members) = &mut body {
        let shown = changes.iter().take(CHANGES_MAX).map(changed);
        members.insert("changes".to_owned(), shown.collect());
        let more = changes.len().saturating_sub(CHANGES_MAX);
        members.insert("changes_not_shown".to_owned(), json!(more));
    }
    Ok(Reply::json(&body))
}

async fn export(call: Call) -> Outcome {
    let revision = load(&call, number(&call)?).await?;
    let mut wanted = call.headers.get_all(header::ACCEPT).iter();
    let is_yaml = wanted.any(|wanted| wanted.to_str().is_ok_and(|it| it.contains("yaml")));
    let reply = match is_yaml {
        true => Reply::text("application/yaml", document::write_yaml(&revision.set)),
        false => Reply::json(&file(&revision.set)),
    };
    Ok(reply.revision(revision.number))
}

async fn rollback(call: Call) -> Outcome {
    call.needs_ownership()?;
    let to = number(&call)?;
    let head = call.latest().await?;
    let expect = etag::expected(&call.headers, "the catalog", Some(head.number))?;
    let base = match expect {
        Expect::Version(version) => Base::Revision(version),
        _ => Base::Any,
    };
    if call.is_dry() {
        let earlier = load(&call, to).await?;
        if base != Base::Any && base != Base::Revision(head.number) {
            return Err(newer(&head, &earlier.set));
        }
        fits::set(&call, &earlier.set)?;
        let dry = Dry::new(head, (*earlier.set).clone());
        return Ok(dry.reply(&|_| false));
    }
    if call.state.engine.waits() {
        fits::set(&call, &load(&call, to).await?.set)?;
    }
    let catalog = &call.state.catalog;
    let written = catalog.rollback_from(base, to, call.author()).await;
    let written = written.map_err(|error| trouble::problem(&error))?;
    let made = change::made(&call, &written).await?;
    let reply = made.reply(&call, json!({ "back_to": to.get() })).await;
    Ok(reply.etag(written.revision))
}

/// As a conflict that the catalog finds.
fn newer(head: &Revision, ours: &RuleSet) -> Problem {
    let detail = format!("revision {} is the newest: look at the difference", head.number);
    let status = http::StatusCode::PRECONDITION_FAILED;
    let difference = tollgate_rules::diff(&head.set, ours);
    Problem::new(status, "conflict", detail)
        .with("revision", head.number.get())
        .with("current_version", head.number.get())
        .with("difference", trouble::differences(&difference))
}

async fn load(call: &Call, number: RevisionNumber) -> Result<Arc<Revision>, Problem> {
    let latest = call.latest().await?;
    if latest.number == number {
        return Ok(latest);
    }
    call.reading(call.state.catalog.load(number)).await
}

fn number(call: &Call) -> Result<RevisionNumber, Problem> {
    let given = call.in_path("n");
    let number = given.parse().ok().and_then(RevisionNumber::new);
    number.ok_or_else(|| {
        let given: String = given.chars().take(64).collect();
        Problem::not_found(format!("there is no revision {given:?}: they are numbers from 0"))
    })
}

fn told(info: &RevisionInfo) -> Value {
    json!({
        "revision": info.number.get(),
        "hash": info.hash.to_string(),
        "kind": info.kind.word(),
        "back_to": info.back_to.map(RevisionNumber::get),
        "author": &*info.author,
        "reason": info.reason.as_deref(),
        "at": when::shown(info.created_at),
        "changed": info.changed,
    })
}

fn changed(change: &ItemChange) -> Value {
    let stored = |text: &Option<String>| -> Value {
        let text = text.as_deref().unwrap_or("null");
        serde_json::from_str(text).unwrap_or_else(|_| text.into())
    };
    json!({
        "kind": change.kind.word(),
        "id": &*change.id,
        "name": &*change.name,
        "before": stored(&change.before),
        "after": stored(&change.after),
    })
}

/// A rules file as JSON, which is YAML too. Ids are given by Tollgate, so a file holds none.
fn file(set: &RuleSet) -> Value {
    let without = |mut json: Value, name: &str| {
        if let Value::Object(members) = &mut json {
            members.remove(name);
        }
        json
    };
    let tiers: Map<String, Value> = set
        .tiers
        .values()
        .map(|tier| (tier.name.to_string(), without(document::tier_json(tier), "name")))
        .collect();
    let rules = set.rules.values();
    let rules = rules.map(|rule| without(document::rule_json(rule), "id"));
    json!({
        "version": 1,
        "default_tier": set.default_tier.as_str(),
        "tiers": tiers,
        "rules": rules.collect::<Vec<Value>>(),
        "overrides": set.overrides.iter().map(document::override_json).collect::<Vec<Value>>(),
    })
}
