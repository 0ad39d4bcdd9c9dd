//! A decision as an answer.

use tollgate_wire::{
    check::{CheckAnswer, CheckBody, Denial, Problem},
    headers,
    http1::{Reply, Wanted},
};

use super::{caller::Telling, convert, desk::Desk, fields, manner::Manner, params::DenialAs};
use crate::{Fields, Wording, engine::Answer, identity::Identity};

/// A check that was read and not yet decided.
#[derive(Debug)]
pub(super) struct Check<'i> {
    pub(super) manner: Manner,
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
    pub(super) telling: Telling,
}

const JSON: &[u8] = b"Content-Type: application/json\r\n";
const PROBLEM: &[u8] = b"Content-Type: application/problem+json\r\n";
/// The header that names the failure policy that decided.
pub(super) const FALLBACK: &str = "Tollgate-Fallback";

impl Desk {
    /// Answers with a decision.
    pub(super) fn decision(
        &mut self,
        answer: &Answer,
        words: Words,
        manner: Manner,
        output: &mut Vec<u8>,
    ) {
        let ruling = &answer.ruling;
        self.id.clear();
        answer.id.write(&mut self.id);
        let id = str::from_utf8(&self.id).unwrap_or_default();
        let mut body = convert::body(answer, id, words.telling);
        let is_problem = !body.allowed && words.wanted == Wanted::Problem;
        let status = match words.denial {
            DenialAs::Ok => 200,
            DenialAs::Ruled => ruling.status(),
        };
        self.scratch.clear();
        if is_problem {
            // A problem has a member of that name.
            body.status = None;
            write_problem(answer, &body, (status, words.telling), &mut self.scratch);
        } else {
            body.write(convert::limits(answer, words.telling), &mut self.scratch);
        }
        let reply = Reply::begin(output, status)
            .lines(self.date.line(self.now))
            .lines(super::desk::CORS)
            .lines(if is_problem { PROBLEM } else { JSON });
        let wording = self.service.wording;
        let wording = Wording {
            fields: words.fields.unwrap_or(wording.fields),
            ..wording
        };
        let reply = fields::write(reply, answer, wording);
        let reply = fields::reason(reply, headers::REASON, ruling);
        let reply = fields::fallback(reply, FALLBACK, ruling);
        let reply = self.callers(reply, words.telling);
        let reply = reply.header("Tollgate-Decision-Id", id.as_bytes());
        manner.end(reply, &self.scratch);
    }
}

/// A denial as RFC 9457 has it, with the members of a check beside its own.
fn write_problem(
    answer: &Answer,
    body: &CheckAnswer<'_>,
    (status, telling): (u16, Telling),
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
    let members = |out: &mut Vec<u8>| body.write_members(convert::limits(answer, telling), out);
    denial.write(status, violated.chain(blocked), members, out);
}
