//! Answers to gateways that ask for their clients.

use tollgate_wire::{
    check::Problem,
    headers,
    http1::{Reply, Request},
};

use super::{
    answer,
    answer::{FALLBACK, Words},
    fields,
    handler::{DenialAs, HttpHandler, INVALID_TOKEN, ResponseFraming, Verbosity},
};
use crate::{
    Fields, Wording,
    engine::{Answer, Ask},
    gateway::{Astray, Gateway, Says, ascii, query},
    identity::{Identity, KeyFlaw, KeySource, Refused, Standing, Stated},
};

/// The head of an answer. NGINX and HAProxy take one that their buffers do not hold for a breakdown, and
/// would let the client pass: the snippet makes that of NGINX 16 KiB, which is what HAProxy's is, of
/// which it keeps one for itself.
const HEAD_BYTES_MAX: usize = 15 * 1024;
/// A denial as a header. Without its list of limits it is never longer.
const BODY_BYTES_MAX: usize = 8 * 1024;
/// The status of a denial by `auth_request`: the only one beside 401 that is not taken for a breakdown.
const NGINX_DENIED: u16 = 403;
const NGINX_ALLOWED: u16 = 204;
/// To whoever showed what is not believed.
const NGINX_UNKNOWN: u16 = 401;
/// In the place of a key that is no text.
const NO_TEXT: &str = "\u{fffd}";

/// The scheme of tokens.
const BEARER: usize = "bearer".len();

/// The token in a header `Authorization`; one that is none in the place of what cannot be read, since whoever shows
/// something wants to be known by it. None by another scheme, which is not ours to judge.
fn shown_token(authorization: &[u8]) -> Option<&str> {
    let Ok(text) = str::from_utf8(authorization) else {
        return Some(NO_TEXT);
    };
    let (scheme, rest) = text.trim_ascii().split_at_checked(BEARER)?;
    let ends = rest.is_empty() || rest.starts_with([' ', '\t']);
    let is_bearer = ends && scheme.eq_ignore_ascii_case("bearer");
    let token = is_bearer.then(|| rest.trim_ascii())?;
    Some(if token.is_empty() { NO_TEXT } else { token })
}

impl HttpHandler {
    /// Decides about the request that the gateway has before it. Whatever method the gateway asks by.
    pub(super) async fn gateway(
        &mut self,
        gateway: Gateway,
        request: &Request<'_>,
        framing: ResponseFraming,
        output: &mut Vec<u8>,
    ) {
        // The question borrows from it, so it is there before and after.
        let identity;
        let found = self.service.client_address.of_client(self.peer.address.ip(), request.headers);
        let asked = Says::read(gateway, request.headers).and_then(|says| {
            let client = found.map_err(|unreadable| Astray::Malformed(unreadable.to_string()))?;
            query(says, client)
        });
        let mut query = match asked {
            Ok(query) => query,
            Err(astray) => return self.astray(gateway, astray, framing, output),
        };
        identity = match self.bearer(request) {
            Ok(identity) => identity,
            Err(problem) => return self.refused(gateway, &problem, framing, output),
        };
        if let Err(error) = identity.fill(&mut query) {
            let astray = Astray::Malformed(error.to_string());
            return self.astray(gateway, astray, framing, output);
        }
        let answer = self.service.engine.check(&Ask::new(query)).await;
        match (answer, gateway) {
            (Ok(answer), Gateway::Nginx) => {
                self.within_buffers(output, |handler, wording, output| {
                    handler.verdict(wording, &answer, framing, output);
                })
            }
            (Ok(answer), Gateway::ForwardAuth) if answer.ruling.is_allowed() => {
                self.within_buffers(output, |handler, wording, output| {
                    handler.pass(wording, &answer, framing, output);
                });
            }
            (Ok(answer), Gateway::ForwardAuth) => {
                self.within_buffers(output, |handler, wording, output| {
                    let words = Words {
                        wanted: request.wanted,
                        denial: DenialAs::Ruled,
                        fields: Some(wording.fields),
                        verbosity: Verbosity::Usual,
                    };
                    handler.decision(&answer, words, framing, output);
                });
            }
            (Err(refusal), _) => self.problem(&answer::problem(&refusal), framing, output),
        }
    }

    /// Whom the gateway's client shows itself to be: by a token, if tokens are verified here, and by a key, if
    /// it is one of ours.
    fn bearer(&self, request: &Request<'_>) -> Result<Identity, Problem> {
        let identifier = &self.service.identifier;
        let twice = |_| answer::refused(&Refused::Key(KeyFlaw::Malformed));
        let key = request.headers.one(&identifier.api_key_header).map_err(twice)?;
        let key = key.map(|key| str::from_utf8(key).unwrap_or(NO_TEXT));
        let token = request.authorization.and_then(shown_token);
        let token = token.filter(|_| identifier.verifies());
        let stated = Stated {
            token,
            api_key: identifier.shown_key(key),
            key_source: KeySource::Client,
            ..Stated::default()
        };
        // The gateway says where its client is; of the client only what it shows is taken.
        let identified = identifier.identify(&stated, Standing::Trusted);
        identified.map_err(|refused| answer::refused(&refused))
    }

    /// Somebody who is not believed hears so. NGINX hands 401 on, and no other status that is no denial.
    fn refused(
        &mut self,
        gateway: Gateway,
        problem: &Problem,
        framing: ResponseFraming,
        output: &mut Vec<u8>,
    ) {
        if gateway == Gateway::ForwardAuth {
            return self.problem(problem, framing, output);
        }
        if problem.status != NGINX_UNKNOWN {
            return self.malformed(problem, framing, output);
        }
        self.turned_away(problem);
        self.scratch.clear();
        problem.write(&mut self.scratch);
        let reply = Reply::begin(output, NGINX_UNKNOWN)
            .lines(self.date.line(self.now))
            .lines(INVALID_TOKEN);
        framing.end(refused(reply, problem, &self.scratch), b"");
    }

    /// A client that asks for nonsense is denied; a gateway that asks for nothing is told so.
    fn astray(
        &mut self,
        gateway: Gateway,
        astray: Astray,
        framing: ResponseFraming,
        output: &mut Vec<u8>,
    ) {
        match astray {
            Astray::Misconfigured(detail) => {
                if let Some(left_out) = self.service.complaints.may_tell() {
                    tracing::error!(peer = %self.peer.address, left_out, "A gateway is not set up to ask: {detail}");
                }
                self.problem(&Problem::new(400, detail), framing, output);
            }
            Astray::Malformed(detail) => {
                let problem = Problem::new(400, detail);
                match gateway {
                    Gateway::Nginx => self.malformed(&problem, framing, output),
                    Gateway::ForwardAuth => self.problem(&problem, framing, output),
                }
            }
        }
    }

    /// Writes an answer, and writes it again without the lists of the draft where its head would be too
    /// long: they grow with the rules that were met.
    fn within_buffers(
        &mut self,
        output: &mut Vec<u8>,
        write: impl Fn(&mut Self, Wording, &mut Vec<u8>),
    ) {
        let begun = output.len();
        let wording = self.service.wording;
        write(self, wording, output);
        if head_bytes(output.get(begun..).unwrap_or_default()) > HEAD_BYTES_MAX {
            output.truncate(begun);
            let fields = Fields::Vendor;
            write(self, Wording { fields, ..wording }, output);
        }
    }

    /// A decision for NGINX: its own status says yes or no, the headers say the rest.
    fn verdict(
        &mut self,
        wording: Wording,
        answer: &Answer,
        framing: ResponseFraming,
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
            let body = answer::body(answer, id, Verbosity::Usual);
            body.write(answer::limits(answer, Verbosity::Usual), &mut self.scratch);
            if ascii::length(&self.scratch) > BODY_BYTES_MAX {
                self.scratch.clear();
                body.write(std::iter::empty(), &mut self.scratch);
            }
            NGINX_DENIED
        };
        let reply = Reply::begin(output, status).lines(self.date.line(self.now));
        let reply = fields::write(reply, answer, wording);
        let reply = fields::reason(reply, headers::REASON, &answer.ruling);
        let reply = fields::fallback(reply, FALLBACK, &answer.ruling);
        let mut reply = reply.header("Tollgate-Decision-Id", id.as_bytes());
        if let Some(rule) = ruling.rule() {
            reply = reply.header("Tollgate-Rule", rule.name.as_str().as_bytes());
        }
        if ruling.is_allowed() {
            return framing.end_empty(reply);
        }
        // A body that NGINX does not read would cost it the connection.
        framing.end(told(reply, ruling.status(), &self.scratch), b"");
    }

    /// A yes for those who hand a denial on. Nobody reads a body, and some close the connection for one.
    fn pass(
        &mut self,
        wording: Wording,
        answer: &Answer,
        framing: ResponseFraming,
        output: &mut Vec<u8>,
    ) {
        self.id.clear();
        answer.id.write(&mut self.id);
        let reply = Reply::begin(output, 200).lines(self.date.line(self.now));
        let reply = fields::write(reply, answer, wording);
        let reply = fields::reason(reply, headers::REASON, &answer.ruling);
        let reply = fields::fallback(reply, FALLBACK, &answer.ruling);
        framing.end(reply.header("Tollgate-Decision-Id", &self.id), b"");
    }

    fn malformed(&mut self, problem: &Problem, framing: ResponseFraming, output: &mut Vec<u8>) {
        self.turned_away(problem);
        self.scratch.clear();
        problem.write(&mut self.scratch);
        let reply = Reply::begin(output, NGINX_DENIED).lines(self.date.line(self.now));
        framing.end(refused(reply, problem, &self.scratch), b"");
    }
}

/// How long the head of an answer is. Only of a long one is it worth a look where the body begins.
fn head_bytes(answer: &[u8]) -> usize {
    const END: &[u8] = b"\r\n\r\n";
    if answer.len() <= HEAD_BYTES_MAX {
        return answer.len();
    }
    let end = answer.windows(END.len()).position(|four| four == END);
    end.map_or(answer.len(), |end| end + END.len())
}

/// The reason of a denial because a fact cannot be read.
const MALFORMED: &str = "malformed";

/// With why the client is refused, and what it shall be told.
fn refused<'o>(reply: Reply<'o>, problem: &Problem, body: &[u8]) -> Reply<'o> {
    let reason = problem.reason.unwrap_or(MALFORMED);
    let reply = reply.header(headers::REASON, reason.as_bytes());
    told(reply, problem.status, body)
}

/// With what the client shall be told, since NGINX drops the body of whom it asks.
fn told<'o>(reply: Reply<'o>, status: u16, body: &[u8]) -> Reply<'o> {
    reply
        .number("Tollgate-Status", status.into())
        .with("Tollgate-Body", |out| ascii::write(body, out))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Proves: I1
    #[test]
    fn what_is_no_text_is_no_token_and_not_nothing() {
        assert_eq!(shown_token(b"Bearer a.b.c"), Some("a.b.c"));
        for odd in [b"Bearer \xff".as_slice(), b"\xff", b"Bearer", b"bearer \t"] {
            assert_eq!(shown_token(odd), Some(NO_TEXT), "{odd:?}");
        }
        for other in ["Basic YTpi", "Bear", "Bearers x", ""] {
            assert_eq!(shown_token(other.as_bytes()), None, "{other}");
        }
    }
}
