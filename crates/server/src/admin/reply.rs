//! Answers when all goes well.

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, Response, StatusCode, header},
};
use serde_json::Value;
use tollgate_catalog::{OverrideSeq, RevisionNumber};

use super::etag;

/// An answer.
#[derive(Debug)]
pub(super) struct Reply {
    status: StatusCode,
    body: String,
    /// In the place of the body, if it is written while it is read.
    stream: Option<Body>,
    kind: Option<&'static str>,
    headers: Vec<(HeaderName, String)>,
}

/// The revision that was read, or that was made.
pub(super) const REVISION: &str = "tollgate-revision";

impl Reply {
    /// JSON.
    pub(super) fn json(body: &Value) -> Self {
        Self::text("application/json", body.to_string())
    }

    /// A text of a type.
    pub(super) const fn text(kind: &'static str, body: String) -> Self {
        Self { status: StatusCode::OK, body, stream: None, kind: Some(kind), headers: Vec::new() }
    }

    /// Lines of JSON that are written while they are read.
    pub(super) const fn lines(lines: Body) -> Self {
        Self {
            status: StatusCode::OK,
            body: String::new(),
            stream: Some(lines),
            kind: Some("application/jsonl"),
            headers: Vec::new(),
        }
    }

    /// What was asked for is what the client has already.
    pub(super) const fn not_modified() -> Self {
        Self {
            status: StatusCode::NOT_MODIFIED,
            body: String::new(),
            stream: None,
            kind: None,
            headers: Vec::new(),
        }
    }

    /// With another status.
    #[must_use]
    pub(super) const fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Something new, and where it is.
    #[must_use]
    pub(super) fn created(self, location: String) -> Self {
        self.status(StatusCode::CREATED).with(header::LOCATION, location)
    }

    /// With the version of what it shows.
    #[must_use]
    pub(super) fn etag(self, version: RevisionNumber) -> Self {
        self.with(header::ETAG, etag::written(version))
    }

    /// With the revision that was read, or that was made.
    #[must_use]
    pub(super) fn revision(self, number: RevisionNumber) -> Self {
        self.with(HeaderName::from_static(REVISION), number.to_string())
    }

    /// With the write that made what it shows.
    #[must_use]
    pub(super) fn sequence(self, seq: OverrideSeq) -> Self {
        self.with(header::ETAG, format!("\"{seq}\""))
    }

    /// Not to be kept by anybody, since it shows a secret.
    #[must_use]
    pub(super) fn unkept(self) -> Self {
        self.with(header::CACHE_CONTROL, "no-store".to_owned())
    }

    /// The same answer with another body around its own; its status says nothing new.
    #[must_use]
    pub(super) fn wrapped(mut self, around: impl FnOnce(Value) -> Value) -> Self {
        let body: Value = serde_json::from_str(&self.body).unwrap_or_default();
        self.body = around(body).to_string();
        self.status = StatusCode::OK;
        self
    }

    fn with(mut self, name: HeaderName, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    pub(super) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(self.stream.unwrap_or_else(|| Body::from(self.body)));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        if let Some(kind) = self.kind {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        }
        // A client may keep it, and asks before it uses it again.
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        for (name, value) in self.headers {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
        response
    }
}
