//! Answers to gateways that ask for their clients.

use tollgate_wire::{
    check::Problem,
    http1::{Reply, Request},
};

use super::{convert, decision::Words, desk::Desk, fields, manner::Manner, params::DenialAs};
use crate::{
    Fields, Wording,
    engine::{Answer, Ask},
    gateway::{Astray, Gateway, Says, ascii, client_address, query},
};

/// The head of an answer to NGINX, which gives up on one that its buffer does not hold; the snippet
/// makes that 16 KiB.
const HEAD_BYTES_MAX: usize = 15 * 1024;
/// A denial as a header. Without its list of limits it is never longer.
const BODY_BYTES_MAX: usize = 8 * 1024;
/// The status of a denial by `auth_request`: the only one beside 401 that is not taken for a breakdown.
const NGINX_DENIED: u16 = 403;
const NGINX_ALLOWED: u16 = 204;

impl Desk {
    /// Decides about the request that the gateway has before it. Whatever method the gateway asks by.
    pub(super) fn gateway(
        &mut self,
        gateway: Gateway,
        request: &Request<'_>,
        manner: Manner,
        output: &mut Vec<u8>,
    ) {
        let proxies = &self.service.proxies;
        let client = client_address(self.peer.address.ip(), proxies, request.headers).to_string();
        let asked = Says::read(gateway, request.headers).and_then(|says| query(says, &client));
        let query = match asked {
            Ok(query) => query,
            Err(astray) => return self.astray(gateway, astray, manner, output),
        };
        let answer = self.service.engine.check(&Ask::new(query));
        match (answer, gateway) {
            (Ok(answer), Gateway::Nginx) => self.verdict(&answer, manner, output),
            (Ok(answer), Gateway::ForwardAuth) => {
                let words = Words {
                    wanted: request.wanted,
                    denial: DenialAs::Ruled,
                };
                self.decision(&answer, words, manner, output);
            }
            (Err(refusal), _) => self.problem(&convert::problem(&refusal), manner, output),
        }
    }

    /// A client that asks for nonsense is denied; a gateway that asks for nothing is told so.
    fn astray(&mut self, gateway: Gateway, astray: Astray, manner: Manner, output: &mut Vec<u8>) {
        match astray {
            Astray::Misconfigured(detail) => {
                if self.service.complaints.is_due(self.now) {
                    tracing::error!(peer = %self.peer.address, "A gateway is not set up to ask: {detail}");
                }
                self.problem(&Problem::new(400, detail), manner, output);
            }
            Astray::Malformed(detail) => {
                let problem = Problem::new(400, detail);
                match gateway {
                    Gateway::Nginx => self.malformed(&problem, manner, output),
                    Gateway::ForwardAuth => self.problem(&problem, manner, output),
                }
            }
        }
    }

    /// A decision for NGINX: its own status says yes or no, the headers say the rest.
    fn verdict(&mut self, answer: &Answer, manner: Manner, output: &mut Vec<u8>) {
        let begun = output.len();
        self.verdict_with(self.service.wording, answer, manner, output);
        // The lists of the draft grow with the rules that were met.
        if output.len().saturating_sub(begun + self.scratch.len()) > HEAD_BYTES_MAX {
            output.truncate(begun);
            let fields = Fields::Vendor;
            let short = Wording {
                fields,
                ..self.service.wording
            };
            self.verdict_with(short, answer, manner, output);
        }
    }

    fn verdict_with(
        &mut self,
        wording: Wording,
        answer: &Answer,
        manner: Manner,
        output: &mut Vec<u8>,
    ) {
        let ruling = &answer.ruling;
        self.id.clear();
        answer.id.write(&mut self.id);
        let id = str::from_utf8(&self.id).unwrap_or_default();
        self.scratch.clear();
        let status = if ruling.is_allowed() {
            NGINX_ALLOWED
        } else {
            let body = convert::body(answer, id);
            body.write(convert::limits(answer), &mut self.scratch);
            if ascii::length(&self.scratch) > BODY_BYTES_MAX {
                self.scratch.clear();
                body.write(std::iter::empty(), &mut self.scratch);
            }
            NGINX_DENIED
        };
        let reply = Reply::begin(output, status).lines(self.date.line(self.now));
        let reply = fields::write(reply, answer, wording);
        let mut reply = reply.header("Tollgate-Decision-Id", id.as_bytes());
        if let Some(rule) = ruling.rule() {
            reply = reply.header("Tollgate-Rule", rule.name.as_str().as_bytes());
        }
        if ruling.is_allowed() {
            return manner.end_empty(reply);
        }
        let reply = told(reply, ruling.status(), &self.scratch);
        manner.end(
            reply.lines(b"Content-Type: application/json\r\n"),
            &self.scratch,
        );
    }

    fn malformed(&mut self, problem: &Problem, manner: Manner, output: &mut Vec<u8>) {
        self.turned_away(problem);
        self.scratch.clear();
        problem.write(&mut self.scratch);
        let reply = Reply::begin(output, NGINX_DENIED).lines(self.date.line(self.now));
        let reply = told(reply, problem.status, &self.scratch);
        let reply = reply.lines(b"Content-Type: application/problem+json\r\n");
        manner.end(reply, &self.scratch);
    }
}

/// With what the client shall be told, since NGINX drops the body of whom it asks.
fn told<'o>(reply: Reply<'o>, status: u16, body: &[u8]) -> Reply<'o> {
    reply
        .number("Tollgate-Status", status.into())
        .with("Tollgate-Body", |out| ascii::write(body, out))
}
