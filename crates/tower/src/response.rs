//! What a client is answered that does not reach the service.

use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use tollgate::{Limit, Micros};
use tollgate_wire::check::{CheckAnswer, Denial, Problem, Wait};

use crate::{Outcome, grpc, numbers, settings::Settings, shown::Shown, standing::standings};

static DECISION_ID: HeaderName = HeaderName::from_static("tollgate-decision-id");
static REASON: HeaderName = HeaderName::from_static("tollgate-reason");

/// A denial, to a client with this head.
pub(crate) fn denied(
    outcome: &Outcome,
    settings: &Settings,
    limits: Vec<Limit>,
    asked: &HeaderMap,
) -> Response<Bytes> {
    let mut response = match grpc::content_type(asked) {
        Some(kind) => grpc::denied(outcome, kind),
        None => {
            let status = StatusCode::from_u16(outcome.status());
            let body = body(outcome, settings, &limits);
            problem_of(status.unwrap_or(StatusCode::TOO_MANY_REQUESTS), body)
        }
    };
    let headers = response.headers_mut();
    Shown::of(outcome, settings, || limits).write(headers);
    if let Some(seconds) = outcome.retry_after_s() {
        headers.insert(header::RETRY_AFTER, numbers::value(seconds));
    }
    let reason = HeaderValue::from_static(outcome.reason().word());
    headers.insert(&REASON, reason);
    if let Some(id) = outcome.decision_id().and_then(|id| id.parse().ok()) {
        headers.insert(&DECISION_ID, id);
    }
    response
}

/// A problem that is no denial, to a client with this head.
pub(crate) fn problem(
    status: StatusCode,
    detail: impl Into<String>,
    asked: &HeaderMap,
) -> Response<Bytes> {
    let problem = Problem::new(status.as_u16(), detail);
    if let Some(kind) = grpc::content_type(asked) {
        return grpc::answer(grpc::code_of(status), &problem.detail, kind);
    }
    let mut body = Vec::new();
    problem.write(&mut body);
    let mut response = problem_of(status, body);
    if status == StatusCode::UNAUTHORIZED {
        let challenge = HeaderValue::from_static("Bearer error=\"invalid_token\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

fn problem_of(status: StatusCode, body: Vec<u8>) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/problem+json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// As RFC 9457 has it, with the members that the server's answer has.
fn body(outcome: &Outcome, settings: &Settings, limits: &[Limit]) -> Vec<u8> {
    let standings = standings(outcome, &settings.name, limits);
    let at = outcome.at();
    let reset = outcome.reset_after();
    let wait = outcome.retry_after().zip(outcome.retry_after_s());
    let answer = CheckAnswer {
        allowed: false,
        limit: outcome.limit(),
        remaining: outcome.remaining(),
        reset: reset.map(|after| at.saturating_add(Micros::from(after)).as_secs_ceil()),
        wait: wait
            .map(|(exact, seconds)| Wait { seconds, millis: Micros::from(exact).as_millis_ceil() }),
        rejections: None,
        delay_ms: 0,
        band: None,
        rule: outcome.rule(),
        reason: outcome.reason().word(),
        message: outcome.message(),
        fallback: None,
        revision: outcome.revision(),
        decision_id: outcome.decision_id(),
        status: None,
    };
    let denial = match standings.is_empty() {
        false => Denial::Quota,
        true => Denial::Block(outcome.status()),
    };
    let violated = standings.iter().filter(|standing| standing.is_denied);
    let violated = violated.map(|standing| Cow::Borrowed(standing.name.as_ref()));
    let blocked = outcome.rule().filter(|_| standings.is_empty());
    let violated = violated.chain(blocked.map(Cow::Borrowed));
    let limits = standings.iter().map(|standing| standing.answer(at));
    let mut out = Vec::new();
    let members = |out: &mut Vec<u8>| answer.write_members(limits, out);
    denial.write(outcome.status(), violated, members, &mut out);
    out
}
