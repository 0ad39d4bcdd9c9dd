//! Peek, refund and reset.

use tollgate::Action;
use tollgate_wire::{
    check::{Problem, Purpose, read_body},
    http1::{Asker, Passage, Request, Wanted},
};

use super::{
    answer,
    answer::Words,
    handler,
    handler::{DenialAs, HttpHandler, ResponseFraming, Verbosity},
};
use crate::{
    authority::{Actor, Caller, Door, Permission, Refused},
    engine::{Answer, CounterOp},
    identity::{PROXIED, Sender, credentials},
    record::{Counters, Tried},
};

/// What is asked of whoever shows no token, or another.
const CHALLENGE: (&str, &str) = ("WWW-Authenticate", "Bearer realm=\"tollgate\"");

const REFUND: Tried = Tried { action: "counter.refund", command: "POST /ratelimit/refund" };
const RESET: Tried = Tried { action: "counter.reset", command: "POST /ratelimit/reset" };

impl HttpHandler {
    /// Does it, if the caller may, and says what is left. The status is 200: whoever looks is not denied.
    pub(super) async fn inspect(
        &mut self,
        action: Action,
        request: &Request<'_>,
        framing: ResponseFraming,
        output: &mut Vec<u8>,
    ) {
        let allowed = self.allows(action, request);
        if let Err(refused) = &allowed {
            let status = refused.status();
            let challenge = refused.is_of_token().then_some(CHALLENGE);
            let detail = match (request.asker, request.passage) {
                (Asker::Page, _) => format!("a page in a browser needs a token here: {refused}"),
                (Asker::Program, Passage::Proxied) if self.lost_loopback(request) => {
                    PROXIED.to_owned()
                }
                (Asker::Program, _) => refused.to_string(),
            };
            let problem = Problem::new(status, detail);
            return self.problem_with(&problem, challenge, framing, output);
        }
        let verbosity = match self.verbosity(request) {
            Ok(verbosity) => verbosity,
            Err(problem) => return self.problem(&problem, framing, output),
        };
        let actor = allowed.ok();
        match self.inspect_counters(action, request, (actor.as_ref(), verbosity)).await {
            Ok(answer) => {
                let words =
                    Words { wanted: Wanted::Any, denial: DenialAs::Ok, fields: None, verbosity };
                self.decision(&answer, words, framing, output);
            }
            Err(problem) => self.problem(&problem, framing, output),
        }
    }

    fn allows(&self, action: Action, request: &Request<'_>) -> Result<Actor, Refused> {
        let wanted = match action {
            Action::Peek => Permission::Check,
            _ => Permission::Counters,
        };
        let door = self.peer.door(self.service.door);
        let (door, name) = credentials(door, self.peer.name.as_deref(), Sender::of(request));
        let token = request.bearer();
        let caller = Caller { door, token, name };
        let authority = &self.service.authority;
        let allowed = authority.allows(caller, wanted);
        if let Err(refused) = &allowed {
            let from = Some(self.peer.address.ip().to_string());
            let tried = match action {
                Action::Refund => REFUND,
                _ => RESET,
            };
            authority.turned_away(caller, from, tried, *refused);
        }
        allowed
    }

    /// Whether a caller without a token would be let in, but for the proxy between.
    fn lost_loopback(&self, request: &Request<'_>) -> bool {
        request.bearer().is_none() && self.peer.door(self.service.door) == Door::Loopback
    }

    async fn inspect_counters(
        &self,
        action: Action,
        request: &Request<'_>,
        (actor, verbosity): (Option<&Actor>, Verbosity),
    ) -> Result<Answer, Problem> {
        handler::of_others(request.query)?;
        let body = read_body(request.body, Purpose::Deed);
        let body = body.map_err(|error| Problem::new(400, error.to_string()))?;
        if action == Action::Refund && body.cost.is_none() {
            return Err(Problem::new(400, "a refund needs `cost`: how much is given back"));
        }
        let identity = self.identify(&body, &self.standing(request))?;
        let ask = answer::ask(&body, &identity, verbosity)?;
        let rule = body.rule.as_deref().filter(|rule| !rule.is_empty());
        let answer = self.service.engine.inspect(CounterOp { action, rule }, &ask).await;
        if let (Action::Reset, Ok(_), Some(actor)) = (action, &answer, actor) {
            let from = Some(self.peer.address.ip().to_string());
            let what = Counters::of(&ask.query, rule);
            self.service.authority.record().reset_by(actor, from, what);
        }
        answer.map_err(|refusal| answer::problem(&refusal))
    }
}
