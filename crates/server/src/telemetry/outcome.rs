//! What came of a decision, as metrics tell it.

use tollgate::Ruling;
use tollgate_core::Band;
use tollgate_rules::Plan;

/// What came of a decision, for one of the rules that it was charged to or that ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It passed, far from its limit.
    Allowed,
    /// It passed, at or above `warn_at`.
    Warned,
    /// It passed although over the limit, below `hard_at`.
    Exceeded,
    /// A limit denied it.
    Denied,
    /// It was denied without asking a counter: by a block, or for want of a fact.
    Blocked,
    /// It passed because an `allow` rule or an override without limit said so, or no limit was in scope.
    Exempt,
    /// No rule was about it.
    Unmatched,
}

impl Outcome {
    /// What can come of a decision that a rule made.
    pub(super) const BY_RULE: [Self; 5] =
        [Self::Allowed, Self::Warned, Self::Exceeded, Self::Denied, Self::Blocked];

    /// What can come of a decision that shows the numbers of no rule.
    pub(super) const BY_NONE: [Self; 3] = [Self::Blocked, Self::Exempt, Self::Unmatched];

    #[inline]
    pub(super) fn of(plan: &Plan<'_>, ruling: &Ruling) -> Self {
        match ruling.binding() {
            Some(decision) => Self::of_band(decision.band()),
            None if plan.stop().is_some() => Self::Blocked,
            None if plan.has_matched() => Self::Exempt,
            None => Self::Unmatched,
        }
    }

    /// Of one limit that was asked.
    #[inline]
    pub(super) const fn of_band(band: Band) -> Self {
        match band {
            Band::Warn => Self::Warned,
            Band::Soft => Self::Exceeded,
            Band::Denied => Self::Denied,
            _ => Self::Allowed,
        }
    }

    /// The one that is nearer to a denial, of two that passed.
    pub(super) const fn worse_of(self, other: Self) -> Self {
        if other.slot() > self.slot() { other } else { self }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Warned => "warned",
            Self::Exceeded => "exceeded",
            Self::Denied => "denied",
            Self::Blocked => "blocked",
            Self::Exempt => "exempt",
            Self::Unmatched => "unmatched",
        }
    }

    /// Its place among [`super::counts::Counts`].
    #[inline]
    pub(super) const fn slot(self) -> usize {
        match self {
            Self::Allowed => 0,
            Self::Warned => 1,
            Self::Exceeded => 2,
            Self::Denied => 3,
            Self::Blocked => 4,
            Self::Exempt => 5,
            Self::Unmatched => 6,
        }
    }
}
