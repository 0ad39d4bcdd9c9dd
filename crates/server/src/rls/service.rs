//! The service that Envoy asks.

use std::{net::IpAddr, pin::pin, sync::Arc};

use smallvec::SmallVec;
use tollgate::{Part, Spend};
use tollgate_core::Clock as _;
use tollgate_rls::{RateLimitRequest, RateLimitResponse};
use tonic::Status;

use super::convert::{Question, response};
use crate::{
    Fields,
    authority::Authority,
    engine::{Engine, Refusal, polled_once},
    identity::{Identifier, Sender, Standing, Trust},
    telemetry::{Protocol, Turned},
};

/// Answers Envoy.
#[derive(Debug)]
pub(crate) struct Rls {
    pub(crate) engine: Arc<Engine>,
    pub(crate) authority: Arc<Authority>,
    /// Who asks.
    pub(crate) identifier: Arc<Identifier>,
    /// Which header fields Envoy is told to add, besides `Retry-After`.
    pub(crate) fields: Option<Fields>,
}

/// Who asks for its clients: Envoy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller<'a> {
    pub(crate) trust: Trust,
    pub(crate) sender: Sender,
    /// Where the connection comes from.
    pub(crate) peer: Option<IpAddr>,
    /// The token of ours that it showed.
    pub(crate) token: Option<&'a str>,
}

impl Caller<'_> {
    /// One on this machine.
    pub(super) const NEAR: Self =
        Self { trust: Trust::Loopback, sender: Sender::PLAIN, peer: None, token: None };
}

impl Rls {
    /// Where no key was issued and no token is verified.
    pub(super) fn plain(engine: Arc<Engine>, fields: Option<Fields>) -> Self {
        Self {
            authority: Arc::new(Authority::new(None)),
            identifier: Arc::new(Identifier::plain(&engine)),
            engine,
            fields,
        }
    }

    /// Answers one question.
    pub(crate) async fn answer(
        &self,
        request: &RateLimitRequest,
        caller: Caller<'_>,
    ) -> Result<RateLimitResponse, Status> {
        let begun = self.engine.time().now().steady;
        let answer = if self.engine.waits() {
            // In a box, so that calls that never wait have no room for it.
            Box::pin(self.decide(request, caller)).await
        } else {
            let decided = polled_once(pin!(self.decide(request, caller)));
            decided.unwrap_or_else(|| Err(Status::internal("a decision of this node waits")))
        };
        match &answer {
            Ok(_) => {
                let took = self.engine.time().now().steady.since(begun);
                self.engine.recorder().answered(Protocol::Grpc, 1, took);
            }
            Err(status) if status.code() == tonic::Code::Unavailable => {
                self.turned_away(Turned::NoSnapshot);
            }
            Err(_) => self.turned_away(Turned::Bad),
        }
        answer
    }

    pub(super) fn turned_away(&self, what: Turned) {
        self.engine.recorder().turned_away(Protocol::Grpc, what);
    }

    async fn decide(
        &self,
        request: &RateLimitRequest,
        caller: Caller<'_>,
    ) -> Result<RateLimitResponse, Status> {
        let wrong = |wrong: super::convert::Wrong| Status::invalid_argument(wrong.to_string());
        let mut question = Question::read(request).map_err(wrong)?;
        let stranger = caller.trust.stranger(caller.sender, &self.authority, caller.token);
        let standing = Standing::of(stranger, None, caller.peer);
        question.identify(|stated| self.identifier.identify(stated, standing));
        let (mut parts, mut crooked) =
            (SmallVec::<[Part<'_>; 4]>::new(), SmallVec::<[_; 4]>::new());
        for part in question.parts() {
            crooked.push(part.map(|part| parts.push(part)).err());
        }
        if crooked.iter().any(Option::is_some) {
            // One that cannot be asked stops them all.
            self.turned_away(Turned::Bad);
            parts.iter_mut().for_each(|part| part.spend = Spend::Look);
        }
        let together =
            self.engine.check_together(&parts).await.map_err(|refusal| status(&refusal))?;
        Ok(response(&together, &crooked, self.fields))
    }
}

/// Never an answer with an unknown code, which Envoy lets pass.
fn status(refusal: &Refusal) -> Status {
    match refusal {
        Refusal::NoSnapshot | Refusal::Counters(_) => Status::unavailable(refusal.to_string()),
        Refusal::RequestIdTaken | Refusal::UnknownRule(_) => {
            Status::failed_precondition(refusal.to_string())
        }
    }
}
