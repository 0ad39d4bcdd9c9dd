//! Errors as a client reads them: RFC 9457.

use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header},
};
use serde_json::{Map, Value, json};

/// Why a request is not done. Becomes `application/problem+json`.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    kind: &'static str,
    detail: String,
    /// More members of the body.
    more: Map<String, Value>,
    retry_after_s: Option<u32>,
}

/// The kind of a problem, beside its answer: what goes on record need not be read back from the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trouble(pub(super) &'static str);

/// What every `type` begins with.
const TYPE: &str = "urn:tollgate:problem:";

impl Problem {
    /// A problem by its status, its kind in a word, and what to do about it.
    pub(super) fn new(status: StatusCode, kind: &'static str, detail: impl Into<String>) -> Self {
        Self { status, kind, detail: detail.into(), more: Map::new(), retry_after_s: None }
    }

    /// What was sent cannot be understood.
    pub(super) fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", detail)
    }

    /// What was asked for does not exist.
    pub(super) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", detail)
    }

    /// What was sent is understood and not sound; each error stands by itself.
    pub(super) fn invalid(detail: impl Into<String>, errors: Vec<Value>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", detail).with("errors", errors)
    }

    /// In other words.
    #[must_use]
    pub(super) fn saying(mut self, detail: &str) -> Self {
        detail.clone_into(&mut self.detail);
        self
    }

    /// With another member.
    #[must_use]
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// It may go better then.
    #[must_use]
    pub(super) const fn retry_after_s(mut self, seconds: u32) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }

    pub(super) fn into_response(self) -> Response<Body> {
        let mut body = json!({
            "type": format!("{TYPE}{}", self.kind),
            "title": self.status.canonical_reason().unwrap_or("error"),
            "status": self.status.as_u16(),
            "detail": self.detail,
        });
        if let Value::Object(members) = &mut body {
            members.extend(self.more);
        }
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = self.status;
        response.extensions_mut().insert(Trouble(self.kind));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.status == StatusCode::UNAUTHORIZED {
            let challenge = HeaderValue::from_static("Bearer realm=\"tollgate\"");
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        if let Some(seconds) = self.retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
