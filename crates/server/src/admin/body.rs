//! What was sent: JSON, bounded in bytes and in time.

use std::time::Duration;

use axum::{
    body::{Body, to_bytes},
    http::{StatusCode, header, request::Parts},
};
use tollgate_wire::admin::check;

use super::{
    problem::Problem,
    route::{Route, Verb},
    trouble,
};

/// The most bytes of a body.
const BODY_BYTES_MAX: usize = 1 << 20;
/// How long a client has for its body.
const BODY_TIME_MAX: Duration = Duration::from_secs(10);

/// The body of a request that needs one.
pub(super) async fn sent(parts: &Parts, body: Body) -> Result<String, Problem> {
    if !is_json(parts) {
        return Err(other_type());
    }
    let read = to_bytes(body, BODY_BYTES_MAX);
    let Ok(read) = tokio::time::timeout(BODY_TIME_MAX, read).await else {
        let detail = format!("the body did not come within {BODY_TIME_MAX:?}");
        return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "slow", detail));
    };
    let Ok(bytes) = read else {
        // What is not too long is cut off, and nobody reads the answer.
        let detail = format!("a body has at most {BODY_BYTES_MAX} bytes");
        return Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too-large",
            detail,
        ));
    };
    let text = String::from_utf8(bytes.into());
    let text = text.map_err(|_| Problem::bad("the body is not UTF-8"))?;
    match check(&text) {
        Ok(()) => Ok(text),
        Err(error) => Err(trouble::not_json(&error)),
    }
}

/// A form or a text can be sent by any web page without asking; JSON cannot.
pub(super) fn refuse_other_types(route: &Route, parts: &Parts) -> Result<(), Problem> {
    let has_type = parts.headers.contains_key(header::CONTENT_TYPE);
    if route.verb != Verb::Get && has_type && !is_json(parts) {
        return Err(other_type());
    }
    Ok(())
}

fn is_json(parts: &Parts) -> bool {
    let mut types = parts.headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(first), None) = (types.next(), types.next()) else {
        return false;
    };
    let kind = first.to_str().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

fn other_type() -> Problem {
    let detail = "send JSON, with Content-Type: application/json";
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", detail)
}
