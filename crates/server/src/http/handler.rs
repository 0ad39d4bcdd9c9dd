//! Where requests are answered.

use std::sync::Arc;

use jiff::fmt::rfc2822::DateTimePrinter;
use tollgate_core::Timestamp;
use tollgate_wire::{
    check::{CheckBody, Problem, Purpose, read_body},
    headers,
    http1::{After, Reply, Request, Version},
};

use super::{
    HttpService, answer,
    answer::{Check, Words},
    route::{Route, RouteError},
};
use crate::{
    callers::Registered,
    engine::{Answer, Ask, Engine},
    gateway::UnknownClient,
    identity::{Distrust, Identity, Sender, Standing, Trust},
    listen::Peer,
    telemetry::{Protocol, Turned},
};

/// Answers the requests of one conversation, in order.
pub(super) struct HttpHandler {
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

impl HttpHandler {
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
        let framing = ResponseFraming::of(request, after);
        let route = Route::of(request);
        if let Ok(Route::Check) = route {
            checks.push(self.read_check(request, framing));
            return after;
        }
        self.decide(checks, output).await;
        match route {
            Ok(Route::Check) => {}
            Ok(Route::Batch) => self.batch(request, framing, output).await,
            Ok(Route::Inspect(action)) => self.inspect(action, request, framing, output).await,
            Ok(Route::Gateway(gateway)) => self.gateway(gateway, request, framing, output).await,
            Ok(Route::Alive) => self.health(200, br#"{"status":"alive"}"#, framing, output),
            Ok(Route::Ready) => {
                let condition = (self.service.health)();
                let body = condition.to_json().to_string();
                self.health(condition.status(), body.as_bytes(), framing, output);
            }
            Ok(Route::Preflight) => {
                let reply = Reply::begin(output, 204).lines(self.date.line(self.now));
                framing.end_empty(reply.lines(PREFLIGHT));
            }
            Err(RouteError { problem, allow }) => {
                let allow = allow.map(|allow| ("Allow", allow));
                self.problem_with(&problem, allow, framing, output);
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
            Ok(body) => answer::ask(body, &check.identity, check.words.verbosity),
            Err(problem) => Err(problem.clone()),
        });
        let mut asking = checks.iter();
        let decided = decide_in_order(&service.engine, asked, |answer| {
            let Some(check) = asking.next() else {
                return;
            };
            match answer {
                Ok(answer) => self.decision(&answer, check.words, check.framing, output),
                Err(problem) => self.problem(&problem, check.framing, output),
            }
        });
        decided.await;
        checks.clear();
    }

    /// Answers that something is wrong.
    pub(super) fn problem(
        &mut self,
        problem: &Problem,
        framing: ResponseFraming,
        output: &mut Vec<u8>,
    ) {
        self.problem_with(problem, None, framing, output);
    }

    /// As [`HttpHandler::problem`], with one more header.
    pub(super) fn problem_with(
        &mut self,
        problem: &Problem,
        header: Option<(&str, &str)>,
        framing: ResponseFraming,
        output: &mut Vec<u8>,
    ) {
        self.turned_away(problem);
        self.write_problem(problem, header, framing, output);
    }

    /// Ends the conversation for a reason that is counted elsewhere.
    pub(super) fn refuse(&mut self, problem: &Problem, output: &mut Vec<u8>) {
        self.write_problem(problem, None, ResponseFraming::LAST, output);
    }

    fn write_problem(
        &mut self,
        problem: &Problem,
        header: Option<(&str, &str)>,
        framing: ResponseFraming,
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
        framing.end(reply, &self.scratch);
    }

    /// Answers with a body that was put into the scratch buffer.
    pub(super) fn json(
        &mut self,
        verbosity: Verbosity,
        framing: ResponseFraming,
        output: &mut Vec<u8>,
    ) {
        let reply = Reply::begin(output, 200)
            .lines(self.date.line(self.now))
            .lines(CORS)
            .lines(b"Content-Type: application/json\r\n");
        let reply = self.callers(reply, verbosity);
        framing.end(reply, &self.scratch);
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

    fn health(&mut self, status: u16, body: &[u8], framing: ResponseFraming, output: &mut Vec<u8>) {
        let reply = Reply::begin(output, status).lines(self.date.line(self.now));
        framing.end(reply.lines(HEALTH), body);
    }

    fn read_check<'i>(&mut self, request: &Request<'i>, framing: ResponseFraming) -> Check<'i> {
        let denial = of_check(request.query);
        let verbosity = self.verbosity(request);
        let words = Words {
            wanted: request.wanted,
            denial: denial.clone().unwrap_or(DenialAs::Ruled),
            fields: None,
            verbosity: verbosity.clone().unwrap_or(Verbosity::Usual),
        };
        let read = denial.and(verbosity).and_then(|_| {
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
        Check { framing, words, body, identity }
    }

    /// Who asks.
    #[inline]
    pub(super) fn identify(
        &self,
        body: &CheckBody<'_>,
        caller: &CallerStanding,
    ) -> Result<Identity, Problem> {
        let stated = answer::stated(body);
        let identified = self.service.identifier.identify(&stated, caller.standing);
        let identity = identified.map_err(|refused| answer::refused(&refused))?;
        match &caller.unknown {
            Some(unknown) => Err(Problem::new(400, unknown.to_string())),
            None => Ok(identity),
        }
    }

    /// What the caller of a request may state.
    #[inline]
    pub(super) fn standing(&self, request: &Request<'_>) -> CallerStanding {
        let Some(why) = self.stranger(request) else {
            return CallerStanding { standing: Standing::Trusted, unknown: None };
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

/// What of an answer depends on the request, whatever it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResponseFraming {
    version: Version,
    pub(super) after: After,
    shown: Shown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Body,
    HeadOnly,
}

impl ResponseFraming {
    /// For the last answer of a conversation that went wrong.
    pub(super) const LAST: Self =
        Self { version: Version::Http11, after: After::Close, shown: Shown::Body };

    pub(super) fn of(request: &Request<'_>, after: After) -> Self {
        Self {
            version: request.version,
            after,
            shown: match request.method {
                "HEAD" => Shown::HeadOnly,
                _ => Shown::Body,
            },
        }
    }

    /// Ends an answer.
    pub(super) fn end(self, reply: Reply<'_>, body: &[u8]) {
        let reply = reply.lines(self.connection());
        match self.shown {
            Shown::Body => reply.body(body),
            Shown::HeadOnly => reply.head_only(body),
        }
    }

    /// Ends an answer that can have no body.
    pub(super) fn end_empty(self, reply: Reply<'_>) {
        reply.lines(self.connection()).nothing();
    }

    const fn connection(self) -> &'static [u8] {
        match (self.after, self.version) {
            (After::Close, _) => b"Connection: close\r\n",
            (After::Keep, Version::Http10) => b"Connection: keep-alive\r\n",
            (After::Keep, Version::Http11) => b"",
        }
    }
}

/// How much an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verbosity {
    /// What everybody is told.
    Usual,
    /// How many callers there are, and what each limit is.
    InFull,
}

impl HttpHandler {
    /// Notes who asks, if it says so. Whoever may not say for whom it asks is nobody's caller: it could make the others'
    /// shares as small as it likes.
    #[inline]
    pub(super) fn verbosity(&mut self, request: &Request<'_>) -> Result<Verbosity, Problem> {
        match request.caller {
            None => Ok(Verbosity::Usual),
            Some(name) => self.named(name, request),
        }
    }

    fn named(&mut self, name: &[u8], request: &Request<'_>) -> Result<Verbosity, Problem> {
        if self.stranger(request).is_some() {
            return Ok(Verbosity::Usual);
        }
        let callers = self.service.engine.recorder().callers();
        match callers.register(&mut self.registered, name) {
            Ok(()) => Ok(Verbosity::InFull),
            Err(error) => Err(Problem::new(400, format!("Tollgate-Caller: {error}"))),
        }
    }

    /// With how many callers there are, for one of them.
    #[inline]
    pub(super) fn callers<'o>(&self, reply: Reply<'o>, verbosity: Verbosity) -> Reply<'o> {
        match verbosity {
            Verbosity::Usual => reply,
            Verbosity::InFull => {
                let callers = self.service.engine.recorder().callers();
                reply.number("Tollgate-Callers", callers.told())
            }
        }
    }
}

/// Which status tells of a denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DenialAs {
    /// That of the rule.
    Ruled,
    /// 200, whatever is decided.
    Ok,
}

/// The parameters of a check.
pub(super) fn of_check(query: Option<&str>) -> Result<DenialAs, Problem> {
    let mut denial = DenialAs::Ruled;
    for (name, value) in pairs(query) {
        match (name, value) {
            ("status", "200") => denial = DenialAs::Ok,
            ("status", _) => {
                return Err(Problem::new(400, "`?status=` can be 200 and nothing else"));
            }
            _ => return Err(unknown(name, "`status` is the only one")),
        }
    }
    Ok(denial)
}

/// The parameters of what has none.
pub(super) fn of_others(query: Option<&str>) -> Result<(), Problem> {
    match pairs(query).next() {
        None => Ok(()),
        Some((name, _)) => Err(unknown(name, "there are none here")),
    }
}

fn pairs(query: Option<&str>) -> impl Iterator<Item = (&str, &str)> {
    let parts = query.unwrap_or_default().split('&');
    parts.filter(|part| !part.is_empty()).map(|part| part.split_once('=').unwrap_or((part, "")))
}

fn unknown(name: &str, known: &str) -> Problem {
    const SHOWN_CHARS_MAX: usize = 40;
    let name: String = name.chars().take(SHOWN_CHARS_MAX).collect();
    Problem::new(400, format!("unknown parameter `{name}`: {known}"))
}

/// The time of day as a header, written once a second.
#[derive(Debug, Default)]
pub(super) struct Date {
    second: Option<u64>,
    line: Vec<u8>,
}

impl Date {
    /// The line, with its end.
    pub(super) fn line(&mut self, now: Timestamp) -> &[u8] {
        let second = now.as_micros() / 1_000_000;
        if self.second != Some(second) {
            self.second = Some(second);
            self.line = line(second).unwrap_or_default();
        }
        &self.line
    }
}

fn line(second: u64) -> Option<Vec<u8>> {
    let moment = jiff::Timestamp::from_second(i64::try_from(second).ok()?).ok()?;
    let printed = DateTimePrinter::new().timestamp_to_rfc9110_string(&moment);
    Some(format!("Date: {}\r\n", printed.ok()?).into_bytes())
}

/// Decides what can be decided, together, and hands over what came of each, in order.
pub(super) async fn decide_in_order<'a>(
    engine: &Engine,
    asked: impl ExactSizeIterator<Item = Result<Ask<'a>, Problem>>,
    mut each: impl FnMut(Result<Answer, Problem>),
) {
    let mut asks = Vec::with_capacity(asked.len());
    let mut problems = Vec::new();
    for (place, ask) in asked.enumerate() {
        match ask {
            Ok(ask) => asks.push(ask),
            Err(problem) => problems.push((place, problem)),
        }
    }
    let mut problems = problems.into_iter().peekable();
    let mut place = 0;
    let decided = engine.check_all(&asks, |answer| {
        while let Some((_, problem)) = problems.next_if(|(at, _)| *at == place) {
            each(Err(problem));
            place += 1;
        }
        each(answer.map_err(|refusal| answer::problem(&refusal)));
        place += 1;
    });
    decided.await;
    problems.for_each(|(_, problem)| each(Err(problem)));
}
