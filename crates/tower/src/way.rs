//! What becomes of a request.

use std::time::Duration;

use bytes::Bytes;
use http::{Extensions, HeaderMap, Response, StatusCode};
use tollgate::Limit;

use crate::{
    Decided, Malformed, Outcome,
    counts::count,
    response,
    settings::{Mode, Settings},
    shown::Shown,
};

/// What becomes of a request.
#[derive(Debug)]
pub(crate) enum Way {
    /// It goes on, and nothing is said.
    Free,
    /// It goes on.
    Pass(Passing),
    /// It goes on after a while.
    Wait(Duration, Passing),
    /// It is answered here.
    Answer(Response<Bytes>),
}

/// What is told of a request that goes on: to the service, and to the client.
#[derive(Debug)]
pub(crate) struct Passing {
    /// None if it never came to a yes or a no.
    outcome: Option<Outcome>,
    shown: Shown,
}

impl Passing {
    /// Tells the service; what is left is for the client.
    pub(crate) fn note(self, extensions: &mut Extensions) -> Shown {
        if let Some(outcome) = self.outcome {
            extensions.insert(outcome);
        }
        self.shown
    }
}

impl Settings {
    /// What becomes of a request with this head. `limits` are those of a plain limiter.
    pub(crate) fn way(
        &self,
        decided: Decided,
        asked: &HeaderMap,
        limits: impl FnOnce() -> Vec<Limit>,
    ) -> Way {
        match decided {
            Decided::Outcome(outcome) => self.way_of(outcome, asked, limits),
            Decided::Free => Way::Free,
            Decided::Unanswered => {
                count(&self.tally.unanswered);
                Way::Free
            }
            Decided::Malformed(detail) => {
                count(&self.tally.malformed);
                match self.malformed {
                    Malformed::Reject => self.refuse(StatusCode::BAD_REQUEST, &detail, asked),
                    Malformed::Pass => Way::Free,
                }
            }
            Decided::Refused(detail) => {
                count(&self.tally.refused);
                self.refuse(StatusCode::UNAUTHORIZED, &detail, asked)
            }
            Decided::Keyless => {
                const DETAIL: &str = "this request has nothing that it can be counted by";
                self.refuse(StatusCode::FORBIDDEN, DETAIL, asked)
            }
        }
    }

    fn way_of(
        &self,
        outcome: Outcome,
        asked: &HeaderMap,
        limits: impl FnOnce() -> Vec<Limit>,
    ) -> Way {
        if !outcome.is_allowed() {
            return match self.mode {
                Mode::Enforce => Way::Answer(response::denied(&outcome, self, limits(), asked)),
                Mode::Shadow => {
                    count(&self.tally.shadowed);
                    let shown = Shown::of(&outcome, self, limits).shadowed();
                    let outcome = Some(outcome);
                    Way::Pass(Passing { outcome, shown })
                }
            };
        }
        let shown = Shown::of(&outcome, self, limits);
        let delay = outcome.delay();
        let outcome = Some(outcome);
        let passing = Passing { outcome, shown };
        match self.mode {
            Mode::Enforce if !delay.is_zero() => Way::Wait(delay, passing),
            Mode::Enforce | Mode::Shadow => Way::Pass(passing),
        }
    }

    /// Nobody is turned away in the shadow.
    fn refuse(&self, status: StatusCode, detail: &str, asked: &HeaderMap) -> Way {
        match self.mode {
            Mode::Enforce => Way::Answer(response::problem(status, detail, asked)),
            Mode::Shadow => {
                count(&self.tally.shadowed);
                let shown = Shown::nothing().shadowed();
                Way::Pass(Passing { outcome: None, shown })
            }
        }
    }
}
