//! What becomes of the counters.

use tollgate_core::{Limit, LimitSet};

use crate::{Action, Change, Field, Override, Rule, Throttle, Tier};

/// What becomes of the counters when a change goes live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Counters {
    /// What was spent stays spent.
    Kept,
    /// What was spent is forgotten.
    StartFresh {
        /// Why.
        why: &'static str,
    },
    /// What was spent in the current window counts on as if spent now.
    CarriedOver,
    /// Nothing that counts is changed.
    NotApplicable,
}

impl Counters {
    /// Of a rule that changed.
    pub(super) fn of_rules(before: &Rule, after: &Rule) -> Self {
        let (old, new) = match (&before.action, &after.action) {
            (Action::Throttle(old), Action::Throttle(new)) => (old, new),
            (_, Action::Throttle(_)) => return NEW,
            _ => return Self::NotApplicable,
        };
        let why = if before.id != after.id {
            "another rule has taken the name"
        } else if old.key != new.key {
            "the key changed"
        } else if names_by_pattern(old) && before.matches.endpoint != after.matches.endpoint {
            "the key holds the endpoint, whose pattern changed"
        } else {
            return Self::of_limits(&old.limits, &new.limits);
        };
        Self::StartFresh { why }
    }

    /// Of a tier that changed.
    pub(super) fn of_tiers(before: &Tier, after: &Tier) -> Self {
        match (&before.default, &after.default) {
            (old, new) if old == new => Self::NotApplicable,
            (Some(old), Some(new)) => Self::of_limits(old, new),
            (None, Some(_)) => NEW,
            (_, None) => Self::NotApplicable,
        }
    }

    /// Of an override that changed.
    pub(super) fn of_overrides(before: &Override, after: &Override) -> Self {
        match (&before.change, &after.change) {
            (Change::Limit(old), Change::Limit(new)) => {
                Self::of_limits(&old.clone().into(), &new.clone().into())
            }
            (Change::Limits(old), Change::Limits(new)) => Self::of_limits(old, new),
            _ => Self::Kept,
        }
    }

    /// A limit of the same period and algorithm counts on. Another algorithm, or a period in the place
    /// of one that is gone, takes over what was spent.
    fn of_limits(before: &LimitSet, after: &LimitSet) -> Self {
        let same = |limit: &Limit, others: &LimitSet| {
            let mut others = others.iter();
            let same = others.find(|other| other.period() == limit.period());
            same.map(Limit::algorithm)
        };
        let is_other_algorithm = |limit: &Limit| {
            let algorithm = same(limit, before);
            algorithm.is_some_and(|algorithm| algorithm != limit.algorithm())
        };
        let is_gone = before.iter().any(|limit| same(limit, after).is_none());
        let is_new = after.iter().any(|limit| same(limit, before).is_none());
        if is_gone && is_new || after.iter().any(is_other_algorithm) {
            Self::CarriedOver
        } else {
            Self::Kept
        }
    }
}

const NEW: Counters = Counters::StartFresh {
    why: "nothing was counted before",
};

/// Whether a counter's name holds the rule's pattern.
fn names_by_pattern(throttle: &Throttle) -> bool {
    throttle.key.contains(&Field::Endpoint)
}
