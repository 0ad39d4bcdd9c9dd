//! A rule as it is walked.

use std::sync::Arc;

use tollgate_core::LimitLine;

use crate::{Action, Rule, Throttle, conditions::Given};

/// A rule with what is worked out once and not per request.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub(crate) rule: Arc<Rule>,
    pub(crate) given: Given,
    /// The limits, with those they lately replaced; none unless the rule throttles.
    pub(crate) lines: Vec<LimitLine>,
}

impl Compiled {
    /// The rule, taking over from the one that had its id: counters of another period are carried over
    /// unless they were named by another key.
    pub(crate) fn new(rule: Arc<Rule>, former: Option<&Self>) -> Self {
        let lines = match &rule.action {
            Action::Throttle(throttle) => succeed(throttle, former),
            Action::Block | Action::Allow => Vec::new(),
        };
        Self {
            given: Given::of(&rule.matches),
            rule,
            lines,
        }
    }

    pub(crate) fn throttle(&self) -> Option<&Throttle> {
        match &self.rule.action {
            Action::Throttle(throttle) => Some(throttle),
            Action::Block | Action::Allow => None,
        }
    }
}

fn succeed(throttle: &Throttle, former: Option<&Compiled>) -> Vec<LimitLine> {
    let same_key = former.filter(|former| {
        let key = former.throttle().map(|throttle| &throttle.key);
        key == Some(&throttle.key)
    });
    match same_key {
        Some(former) => LimitLine::succeed(&former.lines, &throttle.limits),
        None => LimitLine::first(&throttle.limits),
    }
}
