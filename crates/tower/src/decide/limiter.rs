//! A limiter of the library decides.

use std::{future::Ready, sync::Arc};

use tollgate::{Cost, ImmediateStore, Limit, Observer, RateLimiter};

use super::{Decide, Decided, Question, Step, sealed::Sealed};
use crate::{Outcome, key::with_key};

impl<S, O> Sealed for Arc<RateLimiter<S, O>> {}

impl<S, O> Decide for Arc<RateLimiter<S, O>>
where
    S: ImmediateStore + 'static,
    O: Observer + 'static,
{
    type Asking = Ready<Decided>;

    #[inline]
    fn decide(&self, question: &Question<'_, '_>) -> Step<Self::Asking> {
        let cost = question.cost.map_or(Cost::ONE, Cost::new);
        let verdict = with_key(question.facts, |key| self.verdict(key, cost));
        Step::Now(Decided::Outcome(Outcome::of_limiter(verdict)))
    }

    fn limits(&self) -> Vec<Limit> {
        RateLimiter::limits(self)
    }
}
