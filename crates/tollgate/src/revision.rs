//! The limits in force, and the rule they are counted under.

use smallvec::SmallVec;
use tollgate_core::{Charge, Cost, CounterKey, LimitLine, LimitSet, RuleId};

/// What every request from now on is held against.
#[derive(Clone, Debug)]
pub(crate) struct Revision {
    rule: RuleId,
    lines: Vec<LimitLine>,
}

impl Revision {
    pub(crate) fn first(limits: &LimitSet, rule: RuleId) -> Self {
        let lines = LimitLine::first(limits);
        Self { rule, lines }
    }

    pub(crate) fn succeed(&self, limits: &LimitSet) -> Self {
        let lines = LimitLine::succeed(&self.lines, limits);
        Self { lines, ..*self }
    }

    #[inline]
    pub(crate) fn lines(&self) -> &[LimitLine] {
        &self.lines
    }

    #[inline]
    pub(crate) fn charge<'a>(&self, line: &'a LimitLine, key: &'a str, cost: Cost) -> Charge<'a> {
        let key = CounterKey::new(self.rule, key.as_bytes());
        Charge::new(key, &line.limit, cost).replacing(&line.former)
    }

    pub(crate) fn charges<'a>(&'a self, key: &'a str, cost: Cost) -> SmallVec<[Charge<'a>; 1]> {
        let lines = self.lines.iter();
        lines.map(|line| self.charge(line, key, cost)).collect()
    }
}
