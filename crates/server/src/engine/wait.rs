//! Deciding where it may have to be waited for. Without a fleet nothing here ever waits.

use std::{
    error::Error,
    future::Future,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

use tollgate::{Action, Gate, Part, Ruling, StoreError, Unanswered, join_all};
use tollgate_core::Clock as _;
use tollgate_rules::Plan;

use super::{Answer, Ask, Deed, Engine, Refusal, Time, Together, fleet::Fleet};

/// How many questions of one caller are under way at once.
pub(crate) const UNDER_WAY_MAX: usize = 64;

impl Engine {
    /// Whether a decision may have to be waited for.
    #[inline]
    pub(crate) const fn waits(&self) -> bool {
        self.fleet.is_some()
    }

    /// Decides each question on its own, in order, and hands over the answers.
    #[inline]
    pub(crate) async fn check_all(
        &self,
        asks: &[Ask<'_>],
        answered: impl FnMut(Result<Answer, Refusal>),
    ) {
        match &self.fleet {
            None => self.check_all_now(asks, answered),
            // In a box, so that those who never wait have no room for it.
            Some(fleet) => Box::pin(self.check_all_of(fleet, asks, answered)).await,
        }
    }

    /// Decides one question.
    #[inline]
    pub(crate) async fn check(&self, ask: &Ask<'_>) -> Result<Answer, Refusal> {
        match &self.fleet {
            None => self.check_now(ask),
            Some(fleet) => Box::pin(self.check_of(fleet, ask)).await,
        }
    }

    /// Peeks, refunds or resets. Neither is a decision, so nobody is told.
    pub(crate) async fn inspect(&self, deed: Deed<'_>, ask: &Ask<'_>) -> Result<Answer, Refusal> {
        let Some(fleet) = &self.fleet else {
            return self.inspect_now(deed, ask);
        };
        self.knows(deed)?;
        let at = self.time().now().wall;
        let query = &ask.query;
        let ruling = match deed.rule {
            Some(rule) => Box::pin(fleet.inspect_rule_async(deed.action, rule, query)).await,
            None => Box::pin(fleet.inspect_async(deed.action, query)).await,
        };
        match ruling {
            Ok(ruling) => Ok(self.named(ruling, at)),
            Err(Unanswered::Store(error)) => Err(not_done(deed.action, &error)),
            Err(_) => Err(Refusal::NoSnapshot),
        }
    }

    /// Decides questions that pass together or not at all.
    #[inline]
    pub(crate) async fn check_together(&self, parts: &[Part<'_>]) -> Result<Together, Refusal> {
        let Some(fleet) = &self.fleet else {
            return self.check_together_now(parts);
        };
        let now = self.time().now();
        let decided = |all: &[(Plan<'_>, Ruling)]| self.together(all, now);
        match Box::pin(fleet.check_together_async(parts, decided)).await {
            Ok(together) => Ok(together),
            Err(Unanswered::Store(error)) => Err(undecided(&error)),
            Err(_) => Err(Refusal::NoSnapshot),
        }
    }

    async fn check_all_of(
        &self,
        fleet: &Gate<Fleet, Time>,
        asks: &[Ask<'_>],
        mut answered: impl FnMut(Result<Answer, Refusal>),
    ) {
        for asks in asks.chunks(UNDER_WAY_MAX) {
            let answers = join_all(asks.iter().map(|ask| self.check_of(fleet, ask)));
            let answers = answers.await;
            answers.into_iter().for_each(&mut answered);
        }
    }

    async fn check_of(&self, fleet: &Gate<Fleet, Time>, ask: &Ask<'_>) -> Result<Answer, Refusal> {
        if ask.request_id.is_none() {
            return self.decide_of(fleet, ask).await;
        }
        let cell = self.repeats.cell(ask, self.time().now().steady)?;
        let answer = cell.get_or_try_init(|| self.decide_of(fleet, ask)).await?;
        Ok(answer.clone())
    }

    async fn decide_of(&self, fleet: &Gate<Fleet, Time>, ask: &Ask<'_>) -> Result<Answer, Refusal> {
        let at = self.time().now().wall;
        let mut answer = Err(Refusal::NoSnapshot);
        let decided = fleet.check_all_async([&ask.query], |plan, ruling| {
            answer = match ruling {
                Ok(ruling) => Ok(self.answer(plan, ruling, at)),
                Err(error) => Err(undecided(&error)),
            };
        });
        decided.await.map_err(|_| Refusal::NoSnapshot)?;
        answer
    }
}

/// What is ready at once; none if it has to be waited for. Pinned where it was made: a future that holds
/// checks is large, and moving it would cost more than polling it.
#[inline]
pub(crate) fn polled_once<T>(future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

/// The same, where nobody counts instructions.
pub(crate) fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    polled_once(pin!(future))
}

fn undecided(error: &StoreError) -> Refusal {
    Refusal::Counters(format!("nothing was decided: {}", in_full(error)))
}

fn not_done(action: Action, error: &StoreError) -> Refusal {
    let done = match action {
        Action::Refund => "refunded",
        Action::Reset => "reset",
        _ => "looked up",
    };
    let what = match error {
        StoreError::Timeout(_) if action != Action::Peek => {
            format!("it is not known whether the counters were {done}")
        }
        _ => format!("the counters were not {done}"),
    };
    Refusal::Counters(format!("{what}: {}", in_full(error)))
}

/// An error with what is behind it.
fn in_full(error: &StoreError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
