//! Answers to replies.

use std::time::Duration;

use smallvec::SmallVec;
use tollgate::{LimitDetails, MatchedLimit, Ruling};
use tollgate_core::{Decision, Micros};
use tollgate_memory::Throttled;
use tollgate_wire::resp::Encoder;

use crate::{
    authority::Refused,
    engine::{Answer, Refusal},
    identity,
};

/// The six items of a decision.
#[inline]
pub(super) fn ruling(reply: &mut Encoder<'_>, ruling: &Ruling) {
    reply.array(6);
    six(reply, ruling, reset_ms(ruling));
}

/// A decision told in full: the six items, the delay, how many callers there are, what each limit is, and what a denied
/// client should be told. Of callers and of what limits are only callers hear.
pub(super) fn in_full(reply: &mut Encoder<'_>, answer: &Answer, callers: Option<u64>) {
    let ruling = &answer.ruling;
    reply.array(12);
    let reset = answer.reset_after().map_or(0, |reset| millis(reset.into()));
    six(reply, ruling, reset);
    reply.integer(integer(answer.delay_ms()));
    reply.integer(callers.map_or(-1, integer));
    let met: SmallVec<[_; 4]> = ruling.decisions().collect();
    reply.array(met.len());
    for (met, decision) in met {
        let told = met.details.as_deref().filter(|_| callers.is_some());
        limit(reply, met, told, decision);
    }
    reply.integer(ruling.status().into());
    reply.integer(answer.retry_after_s().map_or(-1, integer));
    let rule = ruling.rule().filter(|_| !ruling.is_allowed());
    match rule.and_then(|rule| rule.response.message.as_deref()) {
        Some(message) => reply.bulk(message.as_bytes()),
        None => reply.null(),
    }
}

fn limit(
    reply: &mut Encoder<'_>,
    met: &MatchedLimit,
    told: Option<&LimitDetails>,
    decision: &Decision,
) {
    reply.array(10);
    reply.bulk(met.rule.name.as_str().as_bytes());
    reply.integer(integer(decision.limit()));
    reply.integer(integer(decision.remaining()));
    reply.integer(millis(decision.reset_after()));
    let Some(told) = told else {
        reply.null();
        reply.null();
        reply.integer(-1);
        reply.bulk(b"");
        reply.integer(0);
        return reply.null();
    };
    let limit = &told.limit;
    reply.bulk(limit.to_string().as_bytes());
    reply.bulk(limit.algorithm().as_str().as_bytes());
    reply.integer(limit.burst().map_or(-1, integer));
    reply.bulk(told.key.join(",").as_bytes());
    reply.integer(met.is_overridden.into());
    match &told.cost {
        Some(cost) => reply.bulk(cost.to_string().as_bytes()),
        None => reply.null(),
    }
}

#[inline]
fn six(reply: &mut Encoder<'_>, ruling: &Ruling, reset_ms: i64) {
    reply.integer(i64::from(ruling.is_allowed()));
    reply.integer(ruling.limit().map_or(-1, integer));
    reply.integer(ruling.remaining().map_or(-1, integer));
    reply.integer(retry_after_ms(ruling));
    reply.integer(reset_ms);
    match ruling.rule() {
        Some(rule) => reply.bulk(rule.name.as_str().as_bytes()),
        None => reply.null(),
    }
}

/// The five numbers of `CL.THROTTLE`.
#[inline]
pub(super) fn throttled(reply: &mut Encoder<'_>, answer: &Throttled) {
    reply.array(5);
    reply.integer(i64::from(answer.is_limited));
    reply.integer(answer.limit);
    reply.integer(answer.remaining);
    reply.integer(answer.retry_after_s);
    reply.integer(answer.reset_after_s);
}

/// Why there is no decision.
pub(super) fn refusal(reply: &mut Encoder<'_>, refusal: &Refusal) {
    let kind = match refusal {
        Refusal::NoSnapshot | Refusal::Counters(_) => "UNAVAILABLE",
        Refusal::RequestIdTaken | Refusal::UnknownRule(_) => "ERR",
    };
    reply.error(&format!("{kind} {refusal}"));
}

/// Why somebody is not believed.
pub(super) fn unbelieved(reply: &mut Encoder<'_>, refused: &identity::Refused) {
    let reason = refused.reason();
    let kind = match reason.status() {
        401 => "UNAUTHENTICATED",
        403 => "FORBIDDEN",
        _ => "ERR",
    };
    reply.error(&format!("{kind} {}: {refused}", reason.word()));
}

/// Why somebody may not do it.
pub(super) fn refused(reply: &mut Encoder<'_>, refused: Refused) {
    let kind = match refused {
        Refused::Missing | Refused::Expired | Refused::Revoked => "NOAUTH",
        _ => "NOPERM",
    };
    reply.error(&format!("{kind} {refused}"));
}

/// 0 if it may pass, −1 if waiting never helps.
fn retry_after_ms(ruling: &Ruling) -> i64 {
    if ruling.is_allowed() {
        return 0;
    }
    let wait = ruling.retry_after().map(Micros::from);
    wait.map_or(-1, |wait| integer(wait.as_millis_ceil()))
}

/// How long until nothing is used any more; for a block, until it ends, or 0.
fn reset_ms(ruling: &Ruling) -> i64 {
    let wait = match ruling.binding() {
        Some(decision) => Some(decision.reset_after()),
        None => ruling.retry_after(),
    };
    wait.map_or(0, millis)
}

fn millis(wait: Duration) -> i64 {
    integer(Micros::from(wait).as_millis_ceil())
}

/// The protocol has no larger number.
fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
