//! Parameters and answers that several routes share.

use serde_json::{Value, json};

use super::route::{Content, Kind, Param, Told, header, query};

/// The most entries of a page.
pub(super) const PAGE_MAX: u64 = 1_000;
/// The entries of a page, if nobody says.
pub(super) const PAGE: u64 = 100;

/// A page of a list.
pub(super) const PAGES: &[Param] = &[
    query("limit", Kind::Whole(1, PAGE_MAX), "The most entries of the page; 100 by default"),
    query("cursor", Kind::Text(1_000), "`next_cursor` of the page before, unchanged"),
];

/// Who writes and why.
pub(super) const WRITER: &[Param] = &[
    query("reason", Kind::Text(2_000), "Why, for the history"),
    header(
        "Tollgate-Author",
        "Who writes, for the history, where neither a token of their own nor a certificate says it",
    ),
    header("Tollgate-Reason", "Why, for the history, where the query is not the place for it"),
];

/// To look before one leaps.
pub(super) const DRY_RUN: &[Param] =
    &[query("dry_run", Kind::Truth, "Check everything, answer what would change, write nothing")];

/// To be sure that it is in force.
pub(super) const WAIT: &[Param] = &[query(
    "wait",
    Kind::Span,
    "Wait until every live node runs the write, at most this long, and name those that do",
)];

/// To be sure that it is in force, unless told otherwise.
pub(super) const SURE: &[Param] = &[query(
    "wait",
    Kind::Span,
    "Wait until every live node knows, at most this long, and name those that do; 2s by default, 0s waits for nobody",
)];

/// What an editor saw, if that matters to it.
pub(super) const SEEN: &[Param] =
    &[header("If-Match", "The ETag of what was read, if it must still be so")];

/// What an editor saw.
pub(super) const IF_MATCH: &[Param] = &[header(
    "If-Match",
    "The ETag of what was read, or `*` to write whatever is there; without it the answer is 428",
)];

/// What a reader has.
pub(super) const IF_NONE_MATCH: &[Param] = &[header(
    "If-None-Match",
    "The ETag of what is known already; if that is still so the answer is 304",
)];

/// What can go wrong with a body.
pub(super) const BODY_PROBLEMS: &[(u16, &str)] =
    &[(413, "The body has more than 1 MiB"), (415, "The body is not `application/json`")];

/// An answer in JSON.
pub(super) const fn json_of(status: u16, about: &'static str, schema: &'static str) -> Told {
    Told { status, about, content: Content::Json(schema), headers: &[] }
}

/// An answer in JSON that names the version of what it shows.
pub(super) const fn versioned(status: u16, about: &'static str, schema: &'static str) -> Told {
    Told { status, about, content: Content::Json(schema), headers: &["ETag", "Tollgate-Revision"] }
}

/// An answer in JSON that names the write that made what it shows.
pub(super) const fn sequenced(status: u16, about: &'static str, schema: &'static str) -> Told {
    Told { status, about, content: Content::Json(schema), headers: &["ETag"] }
}

/// Nothing new.
pub(super) const NOT_MODIFIED: Told = Told {
    status: 304,
    about: "It is what the client has",
    content: Content::Nothing,
    headers: &[],
};

/// A rule to try.
pub(super) fn rule_example() -> Value {
    json!({
        "name": "login",
        "match": { "endpoint": "/api/v1/login", "method": ["POST"] },
        "key": ["user|ip"],
        "limit": "5/min",
        "owner": "team-auth",
        "reason": "stop credential stuffing",
    })
}

/// A tier to try.
pub(super) fn tier_example() -> Value {
    json!({ "name": "gold", "rank": 3, "default": "50/s" })
}

/// An override to try.
pub(super) fn override_example() -> Value {
    json!({
        "rule": "login",
        "key": { "user": "acme" },
        "factor": "2x",
        "until": "2099-01-01T00:00:00Z",
        "reason": "contract 412",
    })
}

/// A request to ask about.
pub(super) fn facts_example() -> Value {
    json!({ "user_id": "alice", "endpoint": "/api/v1/login", "method": "POST" })
}
