//! From bodies to questions, and from answers to bodies.

use tollgate::{Band, Cost, MatchedLimit, Micros, OnFailure, Ruling};
use tollgate_core::{Decision, Timestamp};
use tollgate_rules::{Query, QueryError, Scope, UnknownScope};
use tollgate_wire::check::{CheckAnswer, CheckBody, LimitAnswer, Problem, ToldAnswer, Wait};

use super::caller::Telling;
use crate::{
    engine::{Answer, Ask, Refusal},
    identity::{Identity, KeySource, Refused, Stated},
};

/// The question that a body asks.
pub(super) fn ask<'b>(
    body: &'b CheckBody<'_>,
    identity: &'b Identity,
    telling: Telling,
) -> Result<Ask<'b>, Problem> {
    let mut query = query(body).map_err(|error| wrong_fact(&error))?;
    identity
        .fill(&mut query)
        .map_err(|error| wrong_fact(&error))?;
    if let Some(scope) = &body.scope {
        let scope: Scope = scope.parse().map_err(|error: UnknownScope| bad(&error))?;
        query.set_scope(scope);
    }
    if telling == Telling::InFull {
        query.tell_in_full();
    }
    if !query.has_facts() {
        return Err(bad(
            "a check needs at least one fact: user_id, org_id, api_key, token, ip, tier, endpoint, method, \
             region or attributes",
        ));
    }
    identity.restrict(&mut query);
    let request_id = body.request_id.as_deref().filter(|id| !id.is_empty());
    if request_id.is_some_and(|id| id.len() > Ask::REQUEST_ID_BYTES_MAX) {
        let max = Ask::REQUEST_ID_BYTES_MAX;
        return Err(bad(&format!("`request_id` has more than {max} bytes")));
    }
    Ok(Ask {
        request_id,
        ..Ask::new(query)
    })
}

/// What a body says of whoever asks.
#[inline]
pub(super) fn stated<'b>(body: &'b CheckBody<'_>) -> Stated<'b> {
    Stated {
        token: body.token.as_deref(),
        api_key: body.api_key.as_deref(),
        key_source: KeySource::Caller,
        user: body.user_id.as_deref(),
        org: body.org_id.as_deref(),
        tier: body.tier.as_deref(),
        ip: body.ip.as_deref(),
    }
}

/// Why somebody is not believed.
pub(super) fn refused(refused: &Refused) -> Problem {
    let reason = refused.reason();
    Problem::new(reason.status(), refused.to_string()).because(reason.word())
}

fn query<'b>(body: &'b CheckBody<'_>) -> Result<Query<'b>, QueryError> {
    let mut query = Query::new();
    if let Some(text) = &body.user_id {
        query.set_user(text)?;
    }
    if let Some(text) = &body.org_id {
        query.set_org(text)?;
    }
    if let Some(text) = &body.api_key {
        query.set_api_key(text)?;
    }
    if let Some(text) = &body.ip {
        query.set_ip(text)?;
    }
    if let Some(text) = &body.tier {
        query.set_tier(text)?;
    }
    if let Some(text) = &body.endpoint {
        query.set_endpoint(text)?;
    }
    if let Some(text) = &body.method {
        query.set_method(text)?;
    }
    if let Some(text) = &body.region {
        query.set_region(text)?;
    }
    for (name, value) in &body.attributes {
        query.add_attribute(name, value)?;
    }
    if let Some(cost) = body.cost {
        query.set_cost(Cost::new(cost));
    }
    Ok(query)
}

/// The facts are spelled as they came.
fn wrong_fact(error: &QueryError) -> Problem {
    let QueryError::Identifier { fact, error } = error else {
        return bad(error);
    };
    let fact = match fact.as_str() {
        "user" => "user_id",
        "org" => "org_id",
        other => other,
    };
    bad(&format!("{fact}: {error}"))
}

fn bad(detail: &(impl ToString + ?Sized)) -> Problem {
    Problem::new(400, detail.to_string())
}

/// Why there is no answer.
pub(super) fn problem(refusal: &Refusal) -> Problem {
    let status = match refusal {
        Refusal::NoSnapshot | Refusal::Counters(_) => 503,
        Refusal::RequestIdTaken | Refusal::UnknownRule(_) => 422,
    };
    Problem::new(status, refusal.to_string())
}

/// An answer, as it is written.
pub(super) fn body<'a>(
    answer: &'a Answer,
    decision_id: &'a str,
    telling: Telling,
) -> CheckAnswer<'a> {
    let ruling = &answer.ruling;
    let allowed = ruling.is_allowed();
    let rule = ruling.rule();
    let denied = |text: &'a str| (!allowed).then_some(text);
    let message = rule.and_then(|rule| rule.response.message.as_deref());
    CheckAnswer {
        allowed,
        limit: ruling.limit(),
        remaining: ruling.remaining(),
        reset: reset(answer),
        wait: wait(answer),
        rejections: answer.rejections(),
        delay_ms: answer.delay_ms(),
        band: band(ruling),
        rule: rule.map(|rule| rule.name.as_str()),
        reason: ruling.reason().word(),
        message: message.and_then(denied),
        fallback: ruling.fallback().map(OnFailure::word),
        revision: Some(ruling.revision()),
        decision_id: Some(decision_id),
        status: (telling == Telling::InFull).then(|| ruling.status()),
    }
}

/// Every limit that was met, as it is written.
pub(super) fn limits(answer: &Answer, telling: Telling) -> impl Iterator<Item = LimitAnswer<'_>> {
    let in_full = telling == Telling::InFull;
    answer
        .ruling
        .decisions()
        .map(move |(met, decision)| LimitAnswer {
            rule: met.rule.name.as_str(),
            limit: decision.limit(),
            window_us: met.period.length().get(),
            remaining: decision.remaining(),
            reset: reset_of(decision, answer.at()),
            told: in_full.then(|| told(met, decision)).flatten(),
        })
}

fn told<'a>(met: &'a MatchedLimit, decision: &Decision) -> Option<Box<ToldAnswer<'a>>> {
    let told = met.details.as_deref()?;
    Some(Box::new(ToldAnswer {
        reset_ms: Micros::from(decision.reset_after()).as_millis_ceil(),
        per: told.limit.to_string(),
        algorithm: told.limit.algorithm().as_str(),
        burst: told.limit.burst(),
        key: &told.key,
        is_overridden: met.is_overridden,
        cost: told.cost.as_ref().map(ToString::to_string),
    }))
}

/// When the limit shown is whole again, in seconds since 1970. A block that ends is over then.
pub(super) fn reset(answer: &Answer) -> Option<u64> {
    let after = answer.reset_after()?;
    Some(answer.at().saturating_add(after).as_secs_ceil())
}

fn reset_of(decision: &Decision, at: Timestamp) -> u64 {
    let after = Micros::from(decision.reset_after());
    at.saturating_add(after).as_secs_ceil()
}

fn wait(answer: &Answer) -> Option<Wait> {
    let seconds = answer.retry_after_s()?;
    let exact = Micros::from(answer.ruling.retry_after()?);
    Some(Wait {
        seconds,
        millis: exact.get().div_ceil(1_000),
    })
}

fn band(ruling: &Ruling) -> Option<&'static str> {
    let bands = ruling.decisions().map(|(_, decision)| decision.band());
    match bands.max()? {
        Band::Warn => Some("warn"),
        Band::Soft => Some("soft"),
        _ => None,
    }
}
