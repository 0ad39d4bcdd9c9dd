//! Answers to clients that speak gRPC: a status in the head and no body, which they call "trailers only".

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use tollgate::Micros;

use crate::{Outcome, numbers};

static STATUS: HeaderName = HeaderName::from_static("grpc-status");
static MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
/// How long a client that retries by itself waits before it does.
static PUSHBACK: HeaderName = HeaderName::from_static("grpc-retry-pushback-ms");

/// `RESOURCE_EXHAUSTED`.
const EXHAUSTED: u8 = 8;
/// `PERMISSION_DENIED`.
const FORBIDDEN: u8 = 7;
/// `UNAUTHENTICATED`.
const UNAUTHENTICATED: u8 = 16;
/// `UNAVAILABLE`.
const UNAVAILABLE: u8 = 14;
/// `INVALID_ARGUMENT`.
const INVALID: u8 = 3;

/// The type of what is asked, if that is gRPC.
pub(crate) fn content_type(asked: &HeaderMap) -> Option<&HeaderValue> {
    const KIND: &[u8] = b"application/grpc";
    let kind = asked.get(header::CONTENT_TYPE)?;
    let start = kind.as_bytes().get(..KIND.len())?;
    start.eq_ignore_ascii_case(KIND).then_some(kind)
}

/// The code that says the same as a status.
pub(crate) const fn code_of(status: StatusCode) -> u8 {
    match status.as_u16() {
        400 => INVALID,
        401 => UNAUTHENTICATED,
        403 => FORBIDDEN,
        _ => EXHAUSTED,
    }
}

/// A denial.
pub(crate) fn denied(outcome: &Outcome, kind: &HeaderValue) -> Response<Bytes> {
    let code = match (outcome.status(), outcome.limit()) {
        // A fallback that lets nothing pass.
        (503, _) => UNAVAILABLE,
        (_, Some(0)) => FORBIDDEN,
        _ => EXHAUSTED,
    };
    let general = match outcome.retry_after_s() {
        Some(seconds) => format!("too many requests, come back in {seconds} s"),
        None => "too many requests".to_owned(),
    };
    let message = outcome.message().unwrap_or(&general);
    let mut response = answer(code, message, kind);
    if let Some(wait) = outcome.retry_after() {
        // Never earlier than what `Retry-After` says, which a rule can ask to be longer.
        let exact = Micros::from(wait).as_millis_ceil();
        let shown = outcome.retry_after_s().unwrap_or_default();
        let millis = exact.max(shown.saturating_mul(1_000));
        response.headers_mut().insert(&PUSHBACK, numbers::value(millis));
    }
    response
}

/// An answer with this code and message.
pub(crate) fn answer(code: u8, message: &str, kind: &HeaderValue) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind.clone());
    headers.insert(&STATUS, numbers::value(code.into()));
    if let Ok(message) = HeaderValue::from_maybe_shared(escaped(message)) {
        headers.insert(&MESSAGE, message);
    }
    response
}

/// As gRPC wants it: what is not plain ASCII stands as `%XX`.
fn escaped(message: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len());
    for byte in message.bytes() {
        match byte {
            b' '..=b'~' if byte != b'%' => out.push(byte),
            _ => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_escaped_byte_by_byte() {
        assert_eq!(escaped("100 % für ~\n"), b"100 %25 f%C3%BCr ~%0A");
    }
}
