//! A page of the audit.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::Frame;
use serde_json::{Value, json};
use tollgate_catalog::{AuditListing, AuditRow, Catalog, CatalogError};
use tollgate_core::Timestamp;

use super::super::{
    call::Call, cursor, form::moment_of, problem::Problem, reply::Reply, route::Outcome,
    shared::PAGE, when,
};

const LIST: &str = "audit";

pub(super) async fn read(call: Call) -> Outcome {
    let limit = call.params.whole("limit").unwrap_or(PAGE);
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    let listing = listing(&call, limit)?;
    if call.params.text("format") == Some("jsonl") {
        return Ok(Reply::lines(Export::body(call.state.catalog.clone(), listing)));
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

/// The rows that are in memory at once.
const ROWS: u32 = 1_000;
/// How long the database has for each page.
const PAGE_TIME_MAX: Duration = Duration::from_secs(10);

type Page = Pin<Box<dyn Future<Output = Result<Vec<AuditRow>, CatalogError>> + Send>>;

/// An answer that is written while it is read.
pub(in super::super) struct Export {
    catalog: Catalog,
    listing: AuditListing,
    page: Option<Page>,
}

impl Export {
    /// From the newest row on.
    pub(super) fn body(catalog: Catalog, listing: AuditListing) -> Body {
        let listing = AuditListing { count: ROWS, ..listing };
        let page = Some(asked(&catalog, &listing));
        Body::new(Self { catalog, listing, page })
    }
}

fn asked(catalog: &Catalog, listing: &AuditListing) -> Page {
    let (catalog, listing) = (catalog.clone(), listing.clone());
    Box::pin(async move {
        let rows = tokio::time::timeout(PAGE_TIME_MAX, catalog.audit(&listing)).await;
        rows.unwrap_or(Err(CatalogError::Timeout(PAGE_TIME_MAX)))
    })
}

impl HttpBody for Export {
    type Data = Bytes;
    type Error = CatalogError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CatalogError>>> {
        let Some(page) = &mut self.page else {
            return Poll::Ready(None);
        };
        let rows = ready!(page.as_mut().poll(context));
        self.page = None;
        let rows = match rows {
            Ok(rows) => rows,
            // The client sees an answer that was cut off, and not one that seems whole.
            Err(error) => return Poll::Ready(Some(Err(error))),
        };
        let Some(last) = rows.last() else {
            return Poll::Ready(None);
        };
        if u32::try_from(rows.len()).is_ok_and(|count| count >= ROWS) {
            self.listing.before = Some(last.id);
            self.page = Some(asked(&self.catalog, &self.listing));
        }
        let lines: String = rows.iter().map(|row| format!("{}\n", shown(row))).collect();
        Poll::Ready(Some(Ok(Frame::data(Bytes::from(lines)))))
    }
}

impl fmt::Debug for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Export").field("listing", &self.listing).finish_non_exhaustive()
    }
}
