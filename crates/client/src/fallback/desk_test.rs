//! What the tests of the fallback need.

use std::sync::Arc;

use tollgate_core::{Clock, ManualClock};

use super::{Fallback, KeyField, Local, ToldLimit, Whom, told::Weight};
use crate::{Answer, Check, Source, facts::fingerprint};

/// A limit as a server tells it.
pub(super) fn told(rule: &str, limit: &str, key: &[&str]) -> ToldLimit {
    ToldLimit {
        rule: rule.into(),
        per: tollgate_testkit::limit(limit),
        key: key.iter().map(|text| KeyField::read(text)).collect(),
        whom: Whom::Everybody,
        weight: Weight::Fixed(1),
    }
}

/// A caller that has only what it was told.
pub(super) struct Desk {
    pub(super) clock: ManualClock,
    pub(super) local: Local,
}

impl Desk {
    pub(super) fn new() -> Self {
        let clock = ManualClock::start();
        let local = Local::new(Arc::new(clock.clone()));
        Self { clock, local }
    }

    pub(super) fn learn(&self, check: &Check<'_>, told: &[ToldLimit]) {
        let now = self.clock.now().steady;
        self.local.learn(check, fingerprint(check), told, now);
    }

    pub(super) fn ask(&self, check: &Check<'_>) -> Answer {
        let now = self.clock.now().steady;
        let known = self.local.decide(check, fingerprint(check), now);
        known.unwrap_or_else(|| Answer::allowed(Source::Fallback(Fallback::Local)))
    }

    /// How many of a thousand pass.
    pub(super) fn passing(&self, check: &Check<'_>) -> usize {
        (0..1_000).filter(|_| self.ask(check).is_allowed()).count()
    }
}
