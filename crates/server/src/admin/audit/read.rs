//! A page of the audit.

use serde_json::{Value, json};
use tollgate_catalog::{AuditListing, AuditRow};
use tollgate_core::Timestamp;

use super::{
    super::{
        call::Call, cursor, form::moment_of, problem::Problem, reply::Reply, route::Outcome,
        shared::PAGE, when,
    },
    export::Export,
};

const LIST: &str = "audit";

pub(super) async fn read(call: Call) -> Outcome {
    let limit = call.params.whole("limit").unwrap_or(PAGE);
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    let listing = listing(&call, limit)?;
    if call.params.text("format") == Some("jsonl") {
        return Ok(Reply::lines(Export::body(
            call.state.catalog.clone(),
            listing,
        )));
    }
    let rows = call.reading(call.state.catalog.audit(&listing)).await?;
    let is_full = u32::try_from(rows.len()).is_ok_and(|count| count >= limit);
    let last = rows.last().filter(|_| is_full);
    let next = last.map(|row| cursor::written(LIST, &row.id.to_string()));
    let body = json!({
        "rows": rows.iter().map(shown).collect::<Vec<Value>>(),
        "next_cursor": next,
    });
    Ok(Reply::json(&body))
}

fn listing(call: &Call, count: u32) -> Result<AuditListing, Problem> {
    let before = match call.params.text("cursor") {
        Some(cursor) => {
            let place = cursor::read(LIST, cursor)?;
            Some(place.parse().map_err(|_| cursor::bad())?)
        }
        None => None,
    };
    let text = |name| call.params.text(name).map(Into::into);
    Ok(AuditListing {
        since: moment(call, "since")?,
        until: moment(call, "until")?,
        actor: text("actor"),
        object_kind: text("object_kind"),
        object: text("object"),
        before,
        count,
    })
}

fn moment(call: &Call, name: &str) -> Result<Option<Timestamp>, Problem> {
    let Some(text) = call.params.text(name) else {
        return Ok(None);
    };
    let wrong = || {
        Problem::bad(format!(
            "parameter {name}: must be a moment with its offset, for example 2027-01-01T00:00:00Z"
        ))
    };
    moment_of(text).map(Some).ok_or_else(wrong)
}

/// A row as a client reads it.
pub(super) fn shown(row: &AuditRow) -> Value {
    let (noted, author) = (&row.noted, &row.noted.author);
    let (kind, object) = &noted.object;
    let stored = |text: &Option<String>| -> Value {
        let text = text.as_deref().unwrap_or("null");
        serde_json::from_str(text).unwrap_or_else(|_| text.into())
    };
    json!({
        "id": row.id,
        "at": when::shown(row.at),
        "actor": author.name(),
        "role": author.role(),
        "from": author.from(),
        "request_id": author.request(),
        "action": &*noted.action,
        "object_kind": &**kind,
        "object": &**object,
        "reason": author.reason(),
        "before": stored(&noted.before),
        "after": stored(&noted.after),
        "outcome": noted.ended.word(),
        "times": noted.times,
    })
}
