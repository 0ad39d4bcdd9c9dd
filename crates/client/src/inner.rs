//! What a client and its clones share.

use std::{sync::Arc, time::Duration};

use tollgate_core::{Clock, Now, Timestamp};
use tollgate_wire::check::{ProblemTold, Told};

use crate::{
    Answer, Check, Error, Fallback, Fault, Source,
    bypass::Bypass,
    convert,
    counts::Counts,
    denials::Denials,
    fallback::{Lexicon, Local},
    fleet::Fleet,
    transport::Said,
};

/// What a client that lets nothing pass says about when to ask again.
const ASK_AGAIN: Duration = Duration::from_secs(1);

pub(crate) struct Inner {
    pub(crate) fleet: Fleet,
    pub(crate) fallback: Fallback,
    pub(crate) local: Local,
    pub(crate) lexicon: Lexicon,
    pub(crate) denials: Denials,
    pub(crate) bypass: Bypass,
    pub(crate) counts: Counts,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Inner {
    /// An answer for which nobody has to be asked.
    pub(crate) fn ready(&self, check: &Check<'_>, facts: u128) -> Option<Answer> {
        let now = self.clock.now().steady;
        let answer = if !self.bypass.admits(now) {
            Answer::allowed(Source::Bypass)
        } else if let Some(denied) = self.denied(check, facts, now) {
            denied
        } else if self.fleet.is_shut(now) {
            return Some(self.fall_back(check, facts, now));
        } else {
            return None;
        };
        self.counts.answered(&answer);
        Some(answer)
    }

    /// A denial that is remembered. What has a name gets the answer that belongs to it.
    fn denied(&self, check: &Check<'_>, facts: u128, now: Timestamp) -> Option<Answer> {
        if check.is_named() {
            return None;
        }
        self.denials.find(facts, check.weight(), now)
    }

    /// What a server said to one question, and what can be learned from it.
    pub(crate) fn one(&self, check: &Check<'_>, facts: u128, said: &Said) -> Result<Answer, Error> {
        let told = said.told.first().ok_or_else(Self::nothing_said)?;
        self.told(check, facts, told, said.status)
    }

    /// As [`Inner::one`], for one question of several.
    pub(crate) fn told(
        &self,
        check: &Check<'_>,
        facts: u128,
        told: &Result<Told, ProblemTold>,
        status: Option<u16>,
    ) -> Result<Answer, Error> {
        let told = told.as_ref().map_err(convert::error)?;
        let now = self.clock.now();
        let answer = convert::answer(told, status, now.wall);
        if self.fallback == Fallback::Local {
            self.learn(check, facts, (told, &answer), now);
        }
        // What is told again under a name may be old.
        if !check.is_named() {
            let cost = check.weight();
            self.denials.remember(facts, cost, &answer, now.steady);
        }
        Ok(answer)
    }

    /// Who answers in the end: the server, or the fallback.
    pub(crate) fn settled(
        &self,
        check: &Check<'_>,
        facts: u128,
        told: Result<Answer, Error>,
    ) -> Result<Answer, Error> {
        match told {
            Ok(answer) => {
                self.counts.answered(&answer);
                Ok(answer)
            }
            Err(error) if error.is_retryable() => Ok(self.fall_back_now(check, facts)),
            // That is between the server and this caller; nobody else is to suffer for it, or to profit.
            Err(error) if error.fault() == Fault::Trust => {
                self.counts.untrusted();
                Ok(self.fall_back_now(check, facts))
            }
            Err(error) => {
                self.counts.refused();
                Err(error)
            }
        }
    }

    /// What the server said is what is enforced if it can no longer be asked.
    fn learn(&self, check: &Check<'_>, facts: u128, (told, answer): (&Told, &Answer), now: Now) {
        self.local.set_callers(self.fleet.callers());
        if !answer.is_allowed && told.limits.is_empty() {
            self.local.learn_block(facts, answer, now.steady);
        } else {
            let limits = self.lexicon.read(&told.limits);
            self.local.learn(check, facts, &limits, now.steady);
        }
    }

    fn fall_back_now(&self, check: &Check<'_>, facts: u128) -> Answer {
        self.fall_back(check, facts, self.clock.now().steady)
    }

    /// What is answered without a server.
    fn fall_back(&self, check: &Check<'_>, facts: u128, now: Timestamp) -> Answer {
        let source = Source::Fallback(self.fallback);
        let answer = match self.fallback {
            Fallback::Local => self.local.decide(check, facts, now).unwrap_or_else(|| {
                self.counts.unknown();
                Answer::allowed(source)
            }),
            Fallback::Open => Answer::allowed(source),
            Fallback::Closed => Answer {
                is_allowed: false,
                status: 503,
                retry_after: Some(ASK_AGAIN),
                retry_after_s: Some(ASK_AGAIN.as_secs()),
                ..Answer::allowed(source)
            },
        };
        self.counts.answered(&answer);
        answer
    }

    pub(crate) fn nothing_said() -> Error {
        Error::new(Fault::Server, "the answer is empty")
    }
}
