//! What the tests of the fallback need.

use std::sync::Arc;

use tollgate_core::{Clock, ManualClock};

use super::{KeyField, Local, ToldLimit, Whom};
use crate::{Answer, Check, facts::fingerprint};

/// A limit as a server tells it.
pub(super) fn told(rule: &str, limit: &str, key: &[&str]) -> ToldLimit {
    ToldLimit {
        rule: rule.into(),
        per: tollgate_testkit::limit(limit),
        key: key.iter().map(|text| KeyField::read(text)).collect(),
        whom: Whom::Everybody,
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
        self.local.decide(check, fingerprint(check))
    }

    /// How many of a thousand pass.
    pub(super) fn passing(&self, check: &Check<'_>) -> usize {
        (0..1_000).filter(|_| self.ask(check).is_allowed()).count()
    }
}
