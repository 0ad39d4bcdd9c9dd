//! Callers that name themselves are told more.

use tollgate_wire::{
    check::Problem,
    http1::{Reply, Request},
};

use super::desk::Desk;

/// How much an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Telling {
    /// What everybody is told.
    Usual,
    /// How many callers there are, and what each limit is.
    InFull,
}

impl Desk {
    /// Notes who asks, if it says so. Whoever may not say for whom it asks is nobody's caller: it could make the others'
    /// shares as small as it likes.
    #[inline]
    pub(super) fn telling(&mut self, request: &Request<'_>) -> Result<Telling, Problem> {
        match request.caller {
            None => Ok(Telling::Usual),
            Some(name) => self.named(name, request),
        }
    }

    fn named(&mut self, name: &[u8], request: &Request<'_>) -> Result<Telling, Problem> {
        if self.stranger(request).is_some() {
            return Ok(Telling::Usual);
        }
        let callers = self.service.engine.recorder().callers();
        match callers.register(&mut self.registered, name) {
            Ok(()) => Ok(Telling::InFull),
            Err(error) => Err(Problem::new(400, format!("Tollgate-Caller: {error}"))),
        }
    }

    /// With how many callers there are, for one of them.
    #[inline]
    pub(super) fn callers<'o>(&self, reply: Reply<'o>, telling: Telling) -> Reply<'o> {
        match telling {
            Telling::Usual => reply,
            Telling::InFull => {
                let callers = self.service.engine.recorder().callers();
                reply.number("Tollgate-Callers", callers.told())
            }
        }
    }
}
