//! A decision as an answer.

use tollgate_wire::{
    check::{CheckAnswer, CheckBody, Problem, QUOTA_EXCEEDED, write_text},
    http1::{Reply, Wanted, reason},
};

use super::{convert, desk::Desk, fields, manner::Manner, params::DenialAs};
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
}

const JSON: &[u8] = b"Content-Type: application/json\r\n";
const PROBLEM: &[u8] = b"Content-Type: application/problem+json\r\n";
/// The header that names the failure policy that decided.
pub(super) const FALLBACK: &str = "Tollgate-Fallback";
/// What a quota that is used up is called in the registry of problem types.
const QUOTA_TITLE: &str = "Request cannot be satisfied as assigned quota has been exceeded";

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
        let body = convert::body(answer, id);
        let is_problem = !body.allowed && words.wanted == Wanted::Problem;
        let status = match words.denial {
            DenialAs::Ok => 200,
            DenialAs::Ruled => ruling.status(),
        };
        self.scratch.clear();
        if is_problem {
            write_problem(answer, &body, status, &mut self.scratch);
        } else {
            body.write(convert::limits(answer), &mut self.scratch);
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
        let reply = fields::fallback(reply, FALLBACK, ruling);
        let reply = reply.header("Tollgate-Decision-Id", id.as_bytes());
        manner.end(reply, &self.scratch);
    }
}

/// A denial as RFC 9457 has it, with the members of a check beside its own.
fn write_problem(answer: &Answer, body: &CheckAnswer<'_>, status: u16, out: &mut Vec<u8>) {
    let ruling = &answer.ruling;
    let (kind, title) = match ruling.binding() {
        Some(_) => (QUOTA_EXCEEDED, QUOTA_TITLE),
        None => ("about:blank", reason(ruling.status())),
    };
    out.extend_from_slice(b"{\"type\":");
    write_text(kind, out);
    out.extend_from_slice(b",\"title\":");
    write_text(title, out);
    out.extend_from_slice(b",\"status\":");
    out.extend_from_slice(itoa::Buffer::new().format(status).as_bytes());
    out.extend_from_slice(b",\"violated-policies\":[");
    let violated = ruling
        .decisions()
        .filter(|(_, decision)| !decision.is_allowed())
        .map(|(met, _)| fields::policy(ruling, met));
    let blocked = ruling.rule().filter(|_| ruling.binding().is_none());
    let blocked = blocked.map(|rule| rule.name.as_str().to_owned());
    for (place, policy) in violated.chain(blocked).enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write_text(&policy, out);
    }
    out.extend_from_slice(b"],");
    body.write_members(convert::limits(answer), out);
    out.push(b'}');
}
