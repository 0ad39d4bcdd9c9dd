//! Limits of one API key, and of one user, beside the rules.

use std::sync::Arc;

use super::{
    Compiled, Snapshot,
    plan::{LineLimit, RuleOf, TierFound},
    walk::{Walk, Witness},
};
use crate::{KeyCard, Query, QuotaCard, UnknownTier, counter, directory::OwnLimits};

impl Snapshot {
    /// The tier that counts for a request: what is stated, what is agreed with the user, or the default. The one place
    /// where a tier that nothing names is met.
    pub(super) fn tier_of<'q>(
        &'q self,
        query: &'q Query<'_>,
        quota: Option<&'q QuotaCard>,
    ) -> (&'q str, TierFound) {
        let agreed = || quota.and_then(|card| card.quota().tier.as_deref());
        let default = self.default_tier.as_str();
        match query.tier_name().or_else(agreed) {
            None => (default, TierFound::Known),
            Some(tier) if self.tiers.contains(tier) => (tier, TierFound::Known),
            Some(tier) => {
                let counted = match self.unknown_tier {
                    UnknownTier::Default => default,
                    UnknownTier::Keep | UnknownTier::Refuse => tier,
                };
                let stated = tier.into();
                let policy = self.unknown_tier;
                (counted, TierFound::Unknown { stated, policy })
            }
        }
    }

    /// The rules that are walked before the limits of API keys and users, and those after.
    pub(super) fn around_own(&self) -> (&[Compiled], &[Compiled]) {
        let at = usize::try_from(self.own_at).unwrap_or(usize::MAX);
        self.walk.split_at(at.min(self.walk.len()))
    }
}

impl<'s, W: Witness<'s>> Walk<'s, '_, '_, '_, W> {
    /// The limits of an API key and of a user, each as a rule of its own. They are no rules of an operator: a request that
    /// meets no other limit than those of its key still meets the defaults of its tier.
    pub(super) fn apply_own_limits(
        &mut self,
        (key, quota): (Option<&KeyCard>, Option<&QuotaCard>),
    ) {
        let all = [key.and_then(KeyCard::own), quota.and_then(QuotaCard::own)];
        for own in all.into_iter().flatten() {
            let start = self.plan.keys.len();
            let Some(throttle) = own.compiled.throttle() else {
                continue;
            };
            let scope = self.facts.query.scope_asked();
            let is_kept = scope.is_none_or(|scope| scope.keeps(&throttle.key));
            let appended = counter::append(throttle, None, &self.facts, &mut self.plan.keys);
            if is_kept && appended.is_ok() {
                self.charge(Limits::Own(own), start);
            }
        }
    }
}

/// Whose limits a request is charged on.
#[derive(Clone, Copy)]
pub(super) enum Limits<'s, 'o> {
    Rule(&'s Compiled),
    Own(&'o OwnLimits),
}

impl<'s, 'o> Limits<'s, 'o> {
    pub(super) const fn compiled(self) -> &'o Compiled
    where
        's: 'o,
    {
        match self {
            Self::Rule(compiled) => compiled,
            Self::Own(own) => &own.compiled,
        }
    }

    pub(super) fn rule(self) -> RuleOf<'s> {
        match self {
            Self::Rule(compiled) => RuleOf::Snapshot(&compiled.rule),
            Self::Own(own) => RuleOf::Own(Arc::clone(&own.compiled.rule)),
        }
    }

    pub(super) fn each(self, with: impl FnMut(LineLimit<'s>)) {
        match self {
            Self::Rule(compiled) => {
                let lines = compiled.lines.iter();
                lines
                    .map(|line| LineLimit::Rule(&compiled.rule, line))
                    .for_each(with);
            }
            Self::Own(own) => {
                let lines = own.lines.iter().map(Arc::clone);
                lines.map(LineLimit::Own).for_each(with);
            }
        }
    }
}
