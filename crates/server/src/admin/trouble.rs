//! From what the catalog and the reader of rules say to what a client reads.

use axum::http::StatusCode;
use serde_json::{Value, json};
use tollgate_catalog::{CatalogError, Conflict, Expect, RevisionNumber};
use tollgate_rules::{
    diff,
    document::{Problem as Finding, Report, Severity},
    review::{Flaw, Locus},
};
use tollgate_wire::admin::NotJson;

use super::problem::Problem;

/// When a database that is away is asked again.
const RETRY_AFTER_S: u32 = 2;

/// The one place where an answer of the catalog becomes an answer of the API.
pub(super) fn problem(error: &CatalogError) -> Problem {
    let detail = error.to_string();
    match error {
        CatalogError::Conflict(conflict) => conflicting(conflict),
        CatalogError::Invalid(flaws) => {
            Problem::invalid("what was sent does not fit what is there", told(flaws))
        }
        CatalogError::UnknownRevision { .. } | CatalogError::UnknownOverride(_) => {
            Problem::not_found(detail)
        }
        CatalogError::UnknownEntry { .. } => Problem::not_found(detail),
        CatalogError::EntryChanged { .. } => {
            Problem::new(StatusCode::PRECONDITION_FAILED, "conflict", detail)
        }
        CatalogError::NotOpen(_) => Problem::new(StatusCode::CONFLICT, "not-open", detail),
        CatalogError::OwnProposal(_) => Problem::new(StatusCode::FORBIDDEN, "own-proposal", detail),
        CatalogError::TooMany { .. } => Problem::bad(detail),
        error if error.is_transient() => {
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "database", detail)
                .with("decisions", "go on from the rules in force")
                .retry_after_s(RETRY_AFTER_S)
        }
        CatalogError::Full(_) => {
            Problem::new(StatusCode::INSUFFICIENT_STORAGE, "database-full", detail)
        }
        _ => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "database-failed", detail),
    }
}

/// Two editors: the second is shown what its write would change now.
pub(super) fn conflicting(conflict: &Conflict) -> Problem {
    let (status, kind) = match conflict.expected {
        Expect::Absent => (StatusCode::CONFLICT, "exists"),
        _ => (StatusCode::PRECONDITION_FAILED, "conflict"),
    };
    let difference = diff(&conflict.head.set, &conflict.ours);
    Problem::new(status, kind, conflict.to_string())
        .with("revision", conflict.head.number.get())
        .with("current_version", conflict.found.map(RevisionNumber::get))
        .with("written_by", conflict.author.as_deref())
        .with("difference", differences(&difference))
}

/// Each difference from what is there to what was to be written.
pub(super) fn differences(difference: &tollgate_rules::Diff) -> Value {
    let mut json = difference.to_json();
    json.get_mut("differences").map(Value::take).unwrap_or_default()
}

/// What is wrong with a set as a whole, errors before warnings.
pub(super) fn told(flaws: &[Flaw]) -> Vec<Value> {
    flaws.iter().map(flaw).collect()
}

/// One thing that is wrong with a set.
pub(super) fn flaw(flaw: &Flaw) -> Value {
    let field = match &flaw.at {
        Locus::Rule { field, .. } | Locus::Override { field, .. } => *field,
        _ => None,
    };
    json!({
        "severity": flaw.severity.word(),
        "path": field,
        "at": flaw.at.to_string(),
        "message": flaw.message,
        "help": flaw.help,
    })
}

/// The body is not JSON.
pub(super) fn not_json(error: &NotJson) -> Problem {
    let place = json!({
        "severity": "error",
        "line": error.line,
        "column": error.column,
        "message": error.message,
    });
    Problem::bad(format!("the body is not JSON: {error}")).with("errors", vec![place])
}

/// Where a piece of a body begins, when the reader saw the piece only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Begin {
    /// From 1.
    pub(super) line: usize,
    /// From 1.
    pub(super) column: usize,
}

impl Begin {
    /// The beginning of the body.
    pub(super) const FIRST: Self = Self { line: 1, column: 1 };

    /// The place after this much of the body.
    pub(super) fn after(text: &str) -> Self {
        let last = text.rsplit('\n').next().unwrap_or_default();
        Self {
            line: text.matches('\n').count().saturating_add(1),
            column: last.chars().count().saturating_add(1),
        }
    }
}

/// Everything the reader found wrong with what was sent.
pub(super) fn refused(report: &Report) -> Problem {
    let errors = found(report, Begin::FIRST, None);
    let count = report.errors;
    let plural = if count == 1 { "" } else { "s" };
    let detail = format!("the {} has {count} error{plural}", report.source);
    Problem::invalid(detail, errors)
}

/// The errors of a report, by their places in the whole body.
pub(super) fn found(report: &Report, begin: Begin, path: Option<&str>) -> Vec<Value> {
    let problems = report.problems.iter();
    let errors = problems.filter(|problem| problem.severity == Severity::Error);
    errors.map(|problem| finding(problem, begin, path)).collect()
}

fn finding(problem: &Finding, begin: Begin, path: Option<&str>) -> Value {
    let place = &problem.place;
    let column = match place.line {
        1 => begin.column.saturating_add(place.column).saturating_sub(1),
        _ => place.column,
    };
    let help = match (&problem.help, &problem.note) {
        (Some(help), Some(note)) => Some(format!("{help}; {note}")),
        (help, note) => help.clone().or_else(|| note.clone()),
    };
    json!({
        "severity": "error",
        "path": path,
        "line": begin.line.saturating_add(place.line).saturating_sub(1),
        "column": column,
        "message": problem.message,
        "help": help,
    })
}
