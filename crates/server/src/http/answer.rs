//! From bodies to questions, and from answers to bodies.

use tollgate::{Band, Cost, MatchedLimit, Micros, OnFailure, Ruling};
use tollgate_core::{Decision, Timestamp};
use tollgate_rules::{Query, QueryError, Scope, UnknownScope};
use tollgate_wire::{
    check::{CheckAnswer, CheckBody, Denial, LimitAnswer, Problem, ToldAnswer, Wait},
    headers,
    http1::{Reply, Wanted},
};

use super::{
    fields,
    handler::{DenialAs, HttpHandler, ResponseFraming, Verbosity},
};
use crate::{
    Fields, Wording,
    engine::{Answer, Ask, Refusal},
    identity::{Identity, KeySource, Refused, Stated},
};

/// The question that a body asks.
pub(super) fn ask<'b>(
    body: &'b CheckBody<'_>,
    identity: &'b Identity,
    verbosity: Verbosity,
) -> Result<Ask<'b>, Problem> {
    let mut query = query(body).map_err(|error| wrong_fact(&error))?;
    identity.fill(&mut query).map_err(|error| wrong_fact(&error))?;
    if let Some(scope) = &body.scope {
        let scope: Scope = scope.parse().map_err(|error: UnknownScope| bad(&error))?;
        query.set_scope(scope);
    }
    if verbosity == Verbosity::InFull {
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
    Ok(Ask { request_id, ..Ask::new(query) })
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
    verbosity: Verbosity,
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
        status: (verbosity == Verbosity::InFull).then(|| ruling.status()),
    }
}

/// Every limit that was met, as it is written.
pub(super) fn limits(
    answer: &Answer,
    verbosity: Verbosity,
) -> impl Iterator<Item = LimitAnswer<'_>> {
    let in_full = verbosity == Verbosity::InFull;
    answer.ruling.decisions().map(move |(met, decision)| LimitAnswer {
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
    Some(Wait { seconds, millis: exact.get().div_ceil(1_000) })
}

fn band(ruling: &Ruling) -> Option<&'static str> {
    let bands = ruling.decisions().map(|(_, decision)| decision.band());
    match bands.max()? {
        Band::Warn => Some("warn"),
        Band::Soft => Some("soft"),
        _ => None,
    }
}

/// A check that was read and not yet decided.
#[derive(Debug)]
pub(super) struct Check<'i> {
    pub(super) framing: ResponseFraming,
    pub(super) words: Words,
    /// What is asked, or why it cannot be.
    pub(super) body: Result<CheckBody<'i>, Problem>,
    /// Who asks.
    pub(super) identity: Identity,
}

/// How a client wants to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) wanted: Wanted,
    pub(super) denial: DenialAs,
    /// Which fields it gets, if not those of the settings.
    pub(super) fields: Option<Fields>,
    /// How much it is told.
    pub(super) verbosity: Verbosity,
}

const JSON: &[u8] = b"Content-Type: application/json\r\n";
const PROBLEM: &[u8] = b"Content-Type: application/problem+json\r\n";
/// The header that names the failure policy that decided.
pub(super) const FALLBACK: &str = "Tollgate-Fallback";

impl HttpHandler {
    /// Answers with a decision.
    pub(super) fn decision(
        &mut self,
        answer: &Answer,
        words: Words,
        framing: ResponseFraming,
        output: &mut Vec<u8>,
    ) {
        let ruling = &answer.ruling;
        self.id.clear();
        answer.id.write(&mut self.id);
        let id = str::from_utf8(&self.id).unwrap_or_default();
        let mut body = body(answer, id, words.verbosity);
        let is_problem = !body.allowed && words.wanted == Wanted::Problem;
        let status = match words.denial {
            DenialAs::Ok => 200,
            DenialAs::Ruled => ruling.status(),
        };
        self.scratch.clear();
        if is_problem {
            // A problem has a member of that name.
            body.status = None;
            write_problem(answer, &body, (status, words.verbosity), &mut self.scratch);
        } else {
            body.write(limits(answer, words.verbosity), &mut self.scratch);
        }
        let reply = Reply::begin(output, status)
            .lines(self.date.line(self.now))
            .lines(super::handler::CORS)
            .lines(if is_problem { PROBLEM } else { JSON });
        let wording = self.service.wording;
        let wording = Wording { fields: words.fields.unwrap_or(wording.fields), ..wording };
        let reply = fields::write(reply, answer, wording);
        let reply = fields::reason(reply, headers::REASON, ruling);
        let reply = fields::fallback(reply, FALLBACK, ruling);
        let reply = self.callers(reply, words.verbosity);
        let reply = reply.header("Tollgate-Decision-Id", id.as_bytes());
        framing.end(reply, &self.scratch);
    }
}

/// A denial as RFC 9457 has it, with the members of a check beside its own.
fn write_problem(
    answer: &Answer,
    body: &CheckAnswer<'_>,
    (status, verbosity): (u16, Verbosity),
    out: &mut Vec<u8>,
) {
    let ruling = &answer.ruling;
    let denial = match ruling.binding() {
        Some(_) => Denial::Quota,
        None => Denial::Block(ruling.status()),
    };
    let violated = ruling
        .decisions()
        .filter(|(_, decision)| !decision.is_allowed())
        .map(|(met, _)| ruling.policy_of(met));
    let blocked = ruling.rule().filter(|_| ruling.binding().is_none());
    let blocked = blocked.map(|rule| rule.name.as_str().into());
    let members = |out: &mut Vec<u8>| body.write_members(limits(answer, verbosity), out);
    denial.write(status, violated.chain(blocked), members, out);
}
