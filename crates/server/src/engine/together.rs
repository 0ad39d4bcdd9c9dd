//! Questions that are answered together: all may pass, or none.

use std::{cmp::Reverse, time::Duration};

use smallvec::SmallVec;
use tollgate::{Part, Ruling};
use tollgate_core::{Clock as _, Now, Verdict};
use tollgate_rules::Plan;

use super::{Answer, Engine, Refusal};

/// What came of questions that were asked together, one answer each, in order, under one name.
#[derive(Clone, Debug)]
pub(crate) struct Together {
    pub(crate) answers: SmallVec<[Answer; 4]>,
    now: Now,
}

impl Together {
    /// Whether all may pass.
    pub(crate) fn is_allowed(&self) -> bool {
        self.answers.iter().all(|answer| answer.ruling.is_allowed())
    }

    /// The answer whose numbers stand for all: of the denials that with the longest wait, else that with
    /// the smallest share left; the first of equals.
    pub(crate) fn shown(&self) -> Option<&Answer> {
        let denied = self
            .answers
            .iter()
            .filter(|answer| !answer.ruling.is_allowed());
        // Waiting in vain is the longest wait.
        let longest = denied.min_by_key(|answer| match answer.ruling.retry_after() {
            None => (false, Reverse(Duration::MAX)),
            Some(wait) => (true, Reverse(wait)),
        });
        longest.or_else(|| self.scarcest()).or(self.answers.first())
    }

    fn scarcest(&self) -> Option<&Answer> {
        let counted = self.answers.iter();
        let counted = counted.filter_map(|answer| Some((answer, answer.ruling.binding()?)));
        let counted: SmallVec<[_; 4]> = counted.collect();
        let verdict = Verdict::of(counted.iter().map(|(_, decision)| **decision), self.now);
        counted
            .get(verdict.binding_index()?)
            .map(|(answer, _)| *answer)
    }
}

impl Engine {
    /// Decides questions that pass together or not at all.
    pub(super) fn check_together_now(&self, parts: &[Part<'_>]) -> Result<Together, Refusal> {
        let now = self.time().now();
        let decided = self
            .gate()
            .check_together(parts, |all| self.together(all, now));
        decided.map_err(|_| Refusal::NoSnapshot)
    }

    /// What came of all, of which whoever counts is told.
    pub(super) fn together(&self, all: &[(Plan<'_>, Ruling)], now: Now) -> Together {
        let (at, id) = (now.wall, self.next_id());
        let is_allowed = all.iter().all(|(_, ruling)| ruling.is_allowed());
        // What others have stopped was not admitted, so it does not count as if it were.
        let is_counted = |ruling: &Ruling| is_allowed || !ruling.is_allowed();
        let answers = all.iter().map(|(plan, ruling)| {
            let counted = is_counted(ruling).then(|| self.note(plan, ruling, at));
            Answer {
                id,
                at,
                ruling: ruling.clone(),
                penalty: counted.flatten(),
            }
        });
        let answers = answers.collect();
        Together { answers, now }
    }
}
