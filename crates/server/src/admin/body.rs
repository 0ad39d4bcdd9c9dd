//! What was sent: JSON, bounded in bytes and in time.

use std::time::Duration;

use axum::{
    body::Body,
    http::{StatusCode, header, request::Parts},
};
use http_body_util::BodyExt as _;
use hyper::body::Frame;
use tollgate_wire::admin::check;

use super::{
    problem::Problem,
    route::{Route, Verb},
    trouble,
};
use crate::listen::{InputClaim, NoRoom};

/// The most bytes of a body.
const BODY_BYTES_MAX: usize = 1 << 20;
/// How long a client has for its body.
const BODY_TIME_MAX: Duration = Duration::from_secs(10);

/// The body of a request that needs one.
pub(super) async fn sent(parts: &Parts, body: Body, claim: InputClaim) -> Result<String, Problem> {
    if !is_json(parts) {
        return Err(other_type());
    }
    let read = tokio::time::timeout(BODY_TIME_MAX, read(body, claim)).await;
    let bytes = read.unwrap_or_else(|_| {
        let detail = format!("the body did not come within {BODY_TIME_MAX:?}");
        Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "slow", detail))
    })?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| Problem::bad("the body is not UTF-8"))?;
    match check(&text) {
        Ok(()) => Ok(text),
        Err(error) => Err(trouble::not_json(&error)),
    }
}

async fn read(mut body: Body, mut claim: InputClaim) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let data = frame.ok().map(Frame::into_data);
        let data = match data {
            Some(Ok(data)) => data,
            Some(Err(_trailers)) => continue,
            // It is cut off: no client reads the answer.
            None => return Err(Problem::bad("the body broke off")),
        };
        let length = bytes.len() + data.len();
        if length > BODY_BYTES_MAX {
            let detail = format!("a body has at most {BODY_BYTES_MAX} bytes");
            let status = StatusCode::PAYLOAD_TOO_LARGE;
            return Err(Problem::new(status, "too-large", detail));
        }
        // A buffer that grows has twice its former size.
        if let Err(NoRoom) = claim.resize(length.saturating_mul(2)) {
            let detail = "other requests that have not arrived whole hold all the memory that there is for them: send it again";
            let status = StatusCode::SERVICE_UNAVAILABLE;
            return Err(Problem::new(status, "no-room", detail));
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
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
