//! The service that Envoy asks.

use std::{pin::pin, sync::Arc};

use smallvec::SmallVec;
use tollgate::{Part, Spend};
use tollgate_core::Clock as _;
use tollgate_rls::{RateLimitRequest, RateLimitResponse};
use tonic::Status;

use super::convert::{Question, response};
use crate::{
    Fields,
    engine::{Engine, Refusal, polled_once},
    telemetry::{Protocol, Turned},
};

/// Answers Envoy.
#[derive(Debug)]
pub(super) struct Rls {
    pub(super) engine: Arc<Engine>,
    /// Which header fields Envoy is told to add, besides `Retry-After`.
    pub(super) fields: Option<Fields>,
}

impl Rls {
    /// Answers one question.
    pub(super) async fn answer(
        &self,
        request: &RateLimitRequest,
    ) -> Result<RateLimitResponse, Status> {
        let begun = self.engine.time().now().steady;
        let answer = if self.engine.waits() {
            // In a box, so that calls that never wait have no room for it.
            Box::pin(self.decide(request)).await
        } else {
            let decided = polled_once(pin!(self.decide(request)));
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

    async fn decide(&self, request: &RateLimitRequest) -> Result<RateLimitResponse, Status> {
        let wrong = |wrong: super::convert::Wrong| Status::invalid_argument(wrong.to_string());
        let question = Question::read(request).map_err(wrong)?;
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
        let together = self
            .engine
            .check_together(&parts)
            .await
            .map_err(|refusal| status(&refusal))?;
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
