//! Where requests are answered.

use std::sync::Arc;

use tollgate_core::Timestamp;
use tollgate_wire::{
    check::{CheckBody, Problem, Purpose, read_body},
    headers,
    http1::{After, Reply, Request},
};

use super::{
    HttpService,
    caller::Telling,
    convert,
    date::Date,
    decision::{Check, Words},
    manner::Manner,
    order::decide_in_order,
    params,
    route::{Astray, Route},
};
use crate::{
    callers::Registered,
    gateway::UnknownClient,
    identity::{Distrust, Identity, Sender, Standing, Trust},
    listen::Peer,
    telemetry::{Protocol, Turned},
};

/// Answers the requests of one conversation, in order.
pub(super) struct Desk {
    pub(super) service: Arc<HttpService>,
    /// Who is on the other side.
    pub(super) peer: Peer,
    /// What that is worth.
    trust: Trust,
    pub(super) now: Timestamp,
    pub(super) date: Date,
    /// The body of the answer that is written.
    pub(super) scratch: Vec<u8>,
    /// The characters of a decision's name.
    pub(super) id: Vec<u8>,
    /// What follows the next answer.
    pub(super) after: After,
    /// As whom it has named itself, as long as it is here.
    pub(super) registered: Option<Registered>,
}

/// What the caller of a request may state.
pub(super) struct CallerStanding {
    standing: Standing,
    /// Why the address of a stranger is not known: a proxy does not say for whom it asks.
    unknown: Option<UnknownClient>,
}

/// Any page may ask, and read what it is told.
pub(super) const CORS: &[u8] = b"Access-Control-Allow-Origin: *\r\n\
    Access-Control-Expose-Headers: Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, \
    X-RateLimit-Reset, RateLimit, RateLimit-Policy, X-Rejection-Count, Tollgate-Decision-Id, Tollgate-Reason, Tollgate-Fallback\r\n";
const PREFLIGHT: &[u8] = b"Access-Control-Allow-Origin: *\r\n\
    Access-Control-Allow-Methods: GET, HEAD, POST, OPTIONS\r\n\
    Access-Control-Allow-Headers: Authorization, Content-Type\r\n\
    Access-Control-Max-Age: 86400\r\n\
    Allow: GET, HEAD, POST, OPTIONS\r\n";
/// What is told to whoever showed what is not believed.
pub(super) const INVALID_TOKEN: &[u8] = b"WWW-Authenticate: Bearer error=\"invalid_token\"\r\n";
const HEALTH: &[u8] = b"Content-Type: application/json\r\nCache-Control: no-store\r\n";
/// A node without rules may have some in a moment, and one without room for a request, too.
const UNAVAILABLE_RETRY_AFTER_S: u64 = 1;
/// A larger buffer is not kept for the next answer.
const KEPT_BYTES_MAX: usize = 64 * 1024;

impl Desk {
    pub(super) fn new(service: Arc<HttpService>, peer: Peer) -> Self {
        Self {
            trust: service.identifier.trust(&peer),
            service,
            peer,
            now: Timestamp::EPOCH,
            date: Date::default(),
            scratch: Vec::new(),
            id: Vec::new(),
            after: After::Keep,
            registered: None,
        }
    }

    /// Answers a request, or puts it with the checks that are decided together.
    pub(super) async fn serve<'i>(
        &mut self,
        request: &Request<'i>,
        checks: &mut Vec<Check<'i>>,
        output: &mut Vec<u8>,
    ) -> After {
        let after = match self.after {
            After::Close => After::Close,
            After::Keep => request.after,
        };
        let manner = Manner::of(request, after);
        let route = Route::of(request);
        if let Ok(Route::Check) = route {
            checks.push(self.read_check(request, manner));
            return after;
        }
        self.decide(checks, output).await;
        match route {
            Ok(Route::Check) => {}
            Ok(Route::Batch) => self.batch(request, manner, output).await,
            Ok(Route::Deed(action)) => self.deed(action, request, manner, output).await,
            Ok(Route::Gateway(gateway)) => self.gateway(gateway, request, manner, output).await,
            Ok(Route::Alive) => self.health(200, br#"{"status":"alive"}"#, manner, output),
            Ok(Route::Ready) => {
                let condition = (self.service.health)();
                let body = condition.to_json().to_string();
                self.health(condition.status(), body.as_bytes(), manner, output);
            }
            Ok(Route::Preflight) => {
                let reply = Reply::begin(output, 204).lines(self.date.line(self.now));
                manner.end_empty(reply.lines(PREFLIGHT));
            }
            Err(Astray { problem, allow }) => {
                let allow = allow.map(|allow| ("Allow", allow));
                self.problem_with(&problem, allow, manner, output);
            }
        }
        after
    }

    /// Decides the checks that were read so far, and answers them.
    pub(super) async fn decide(&mut self, checks: &mut Vec<Check<'_>>, output: &mut Vec<u8>) {
        if checks.is_empty() {
            return;
        }
        let service = Arc::clone(&self.service);
        let asked = checks.iter().map(|check| match &check.body {
            Ok(body) => convert::ask(body, &check.identity, check.words.telling),
            Err(problem) => Err(problem.clone()),
        });
        let mut asking = checks.iter();
        let decided = decide_in_order(&service.engine, asked, |answer| {
            let Some(check) = asking.next() else {
                return;
            };
            match answer {
                Ok(answer) => self.decision(&answer, check.words, check.manner, output),
                Err(problem) => self.problem(&problem, check.manner, output),
            }
        });
        decided.await;
        checks.clear();
    }

    /// Answers that something is wrong.
    pub(super) fn problem(&mut self, problem: &Problem, manner: Manner, output: &mut Vec<u8>) {
        self.problem_with(problem, None, manner, output);
    }

    /// As [`Desk::problem`], with one more header.
    pub(super) fn problem_with(
        &mut self,
        problem: &Problem,
        header: Option<(&str, &str)>,
        manner: Manner,
        output: &mut Vec<u8>,
    ) {
        self.turned_away(problem);
        self.write_problem(problem, header, manner, output);
    }

    /// Ends the conversation for a reason that is counted elsewhere.
    pub(super) fn refuse(&mut self, problem: &Problem, output: &mut Vec<u8>) {
        self.write_problem(problem, None, Manner::LAST, output);
    }

    fn write_problem(
        &mut self,
        problem: &Problem,
        header: Option<(&str, &str)>,
        manner: Manner,
        output: &mut Vec<u8>,
    ) {
        self.scratch.clear();
        problem.write(&mut self.scratch);
        let mut reply = Reply::begin(output, problem.status)
            .lines(self.date.line(self.now))
            .lines(CORS)
            .lines(b"Content-Type: application/problem+json\r\n");
        if problem.status == 503 {
            reply = reply.number("Retry-After", UNAVAILABLE_RETRY_AFTER_S);
        }
        if problem.status == 401 && problem.reason.is_some() {
            reply = reply.lines(INVALID_TOKEN);
        }
        if let Some(reason) = problem.reason {
            reply = reply.header(headers::REASON, reason.as_bytes());
        }
        if let Some((name, value)) = header {
            reply = reply.header(name, value.as_bytes());
        }
        manner.end(reply, &self.scratch);
    }

    /// Answers with a body that was put into the scratch buffer.
    pub(super) fn json(&mut self, telling: Telling, manner: Manner, output: &mut Vec<u8>) {
        let reply = Reply::begin(output, 200)
            .lines(self.date.line(self.now))
            .lines(CORS)
            .lines(b"Content-Type: application/json\r\n");
        let reply = self.callers(reply, telling);
        manner.end(reply, &self.scratch);
        self.scratch.clear();
        self.scratch.shrink_to(KEPT_BYTES_MAX);
    }

    pub(super) fn turned_away(&self, problem: &Problem) {
        let what = match problem.status {
            503 => Turned::NoSnapshot,
            // Whoever holds the watch has counted it.
            408 => return,
            _ => Turned::Bad,
        };
        let recorder = self.service.engine.recorder();
        recorder.turned_away(Protocol::Http, what);
    }

    fn health(&mut self, status: u16, body: &[u8], manner: Manner, output: &mut Vec<u8>) {
        let reply = Reply::begin(output, status).lines(self.date.line(self.now));
        manner.end(reply.lines(HEALTH), body);
    }

    fn read_check<'i>(&mut self, request: &Request<'i>, manner: Manner) -> Check<'i> {
        let denial = params::of_check(request.query);
        let telling = self.telling(request);
        let words = Words {
            wanted: request.wanted,
            denial: denial.clone().unwrap_or(params::DenialAs::Ruled),
            fields: None,
            telling: telling.clone().unwrap_or(Telling::Usual),
        };
        let read = denial.and(telling).and_then(|_| {
            let body = read_body(request.body, Purpose::Check);
            body.map_err(|error| Problem::new(400, error.to_string()))
        });
        let identity = match &read {
            Ok(body) => self.identify(body, &self.standing(request)),
            Err(_) => Ok(Identity::default()),
        };
        let (identity, body) = match identity {
            Ok(identity) => (identity, read),
            Err(problem) => (Identity::default(), Err(problem)),
        };
        Check {
            manner,
            words,
            body,
            identity,
        }
    }

    /// Who asks.
    #[inline]
    pub(super) fn identify(
        &self,
        body: &CheckBody<'_>,
        caller: &CallerStanding,
    ) -> Result<Identity, Problem> {
        let stated = convert::stated(body);
        let identified = self.service.identifier.identify(&stated, caller.standing);
        let identity = identified.map_err(|refused| convert::refused(&refused))?;
        match &caller.unknown {
            Some(unknown) => Err(Problem::new(400, unknown.to_string())),
            None => Ok(identity),
        }
    }

    /// What the caller of a request may state.
    #[inline]
    pub(super) fn standing(&self, request: &Request<'_>) -> CallerStanding {
        let Some(why) = self.stranger(request) else {
            return CallerStanding {
                standing: Standing::Trusted,
                unknown: None,
            };
        };
        let proxied = (request.headers, request.passage);
        let peer = self.peer.address.ip();
        let address = self.service.client_address.of_caller(peer, proxied);
        CallerStanding {
            standing: Standing::of(Some(why), address.as_ref().ok().copied(), Some(peer)),
            unknown: address.err(),
        }
    }

    /// Why the caller may not say for whom it asks; none if it may.
    #[inline]
    pub(super) fn stranger(&self, request: &Request<'_>) -> Option<Distrust> {
        let (sender, authority) = (Sender::of(request), &self.service.authority);
        self.trust.stranger(sender, authority, request.bearer())
    }
}
