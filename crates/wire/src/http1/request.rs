//! A request, as far as this server looks at one.

use super::Headers;

/// One request. What it borrows lies in the bytes it was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The method, as it was sent.
    pub method: &'a str,
    /// The path, as it was sent; `*` for `OPTIONS *`.
    pub path: &'a str,
    /// What stands after the `?`.
    pub query: Option<&'a str>,
    /// The version of HTTP.
    pub version: Version,
    /// Whether another request may follow.
    pub after: After,
    /// What kind of answer is asked for.
    pub wanted: Wanted,
    /// Who asks.
    pub asker: Asker,
    /// Whether a proxy handed it on.
    pub passage: Passage,
    /// The header `Content-Type`.
    pub content_type: Option<&'a [u8]>,
    /// The header `Authorization`.
    pub authorization: Option<&'a [u8]>,
    /// The header `Tollgate-Caller`.
    pub caller: Option<&'a [u8]>,
    /// All headers, for whoever looks further.
    pub headers: Headers<'a>,
    /// The body, whatever way it came.
    pub body: &'a [u8],
}

/// A version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.0.
    Http10,
    /// HTTP/1.1.
    Http11,
}

/// What follows an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The next request.
    Keep,
    /// The end.
    Close,
}

/// What kind of answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Any.
    Any,
    /// `Accept` lists `application/problem+json`.
    Problem,
}

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// A program.
    Program,
    /// A page in a browser: there is an `Origin`, or a `Sec-Fetch-Site` other than `none`.
    Page,
}

/// How a request came here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// No header tells of a proxy.
    Direct,
    /// There is `X-Forwarded-*`, `Forwarded`, `X-Real-IP` or `Via`: the peer speaks for another.
    Proxied,
}

impl<'a> Request<'a> {
    /// The token of `Authorization: Bearer TOKEN`.
    pub fn bearer(&self) -> Option<&'a str> {
        let text = str::from_utf8(self.authorization?).ok()?;
        let (scheme, token) = text.split_once(' ')?;
        let is_bearer = scheme.eq_ignore_ascii_case("bearer");
        is_bearer.then(|| token.trim_matches(' '))
    }

    /// Whether the body is, or may be, JSON: it says so, or says nothing, or is said to be a form, which
    /// is what `curl -d` says of everything.
    pub fn is_json(&self) -> bool {
        let Some(kind) = self.content_type else {
            return true;
        };
        let essence = kind.split(|byte| *byte == b';').next().unwrap_or_default();
        let essence = essence.trim_ascii();
        let has_suffix = || {
            let suffix = essence.len().checked_sub(b"+json".len());
            let ending = suffix.and_then(|from| essence.get(from..));
            ending.is_some_and(|ending| ending.eq_ignore_ascii_case(b"+json"))
        };
        let is_one_of = [
            b"application/json".as_slice(),
            b"application/x-www-form-urlencoded",
        ];
        let is_named = is_one_of
            .iter()
            .any(|kind| essence.eq_ignore_ascii_case(kind));
        is_named || has_suffix()
    }
}
