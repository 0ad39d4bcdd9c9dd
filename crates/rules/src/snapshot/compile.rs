//! From a rule set to a snapshot.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use tollgate_core::{LimitLine, RuleId};

use super::{
    Snapshot,
    plan::{LineLimit, RuleOf, TierFound},
    walk::{Walk, Witness},
};
use crate::{
    Action, KeyCard, Name, Query, QuotaCard, Rule, RuleSet, Throttle, Tier, UnknownTier,
    conditions::Given,
    counter,
    directory::{Entry, Exceptions, OwnLimits},
    index::Index,
    order::Rank,
};

impl Snapshot {
    /// Compiles a rule set. It replaces nothing, so no counter is looked for under a former period.
    pub fn compile(rules: &RuleSet, revision: u64) -> Self {
        Self::build(rules, revision, None)
    }

    /// Compiles the rule set that comes after this one: a counter whose rule has another period from now
    /// on is carried over when it is next met.
    #[must_use]
    pub fn succeed(&self, rules: &RuleSet, revision: u64) -> Self {
        Self::build(rules, revision, Some(self))
    }

    fn build(set: &RuleSet, revision: u64, former: Option<&Self>) -> Self {
        let former_policy = former.map_or(UnknownTier::default(), |former| former.unknown_tier);
        let former = former.map(Self::by_id).unwrap_or_default();
        let compiled = |rule: Arc<Rule>| {
            let former = former.get(&rule.id).copied();
            Compiled::new(rule, former)
        };
        let enabled = set.rules.values().filter(|rule| rule.enabled);
        let mut ranked: Vec<(Rank, &Arc<Rule>)> =
            enabled.map(|rule| (Rank::of(rule), rule)).collect();
        ranked.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let walk: Vec<Compiled> =
            ranked.iter().map(|(_, rule)| compiled(Arc::clone(rule))).collect();
        let defaults = set.tiers.values().filter_map(|tier| {
            let rule = default_rule(tier)?;
            Some((tier.name.clone(), compiled(Arc::new(rule))))
        });
        Self {
            revision,
            default_tier: set.default_tier.clone(),
            tiers: tiers(set),
            unknown_tier: former_policy,
            own_at: own_at(&ranked),
            index: Index::new(walk.iter().map(|compiled| &*compiled.rule)),
            defaults: defaults.collect(),
            exceptions: exceptions(set),
            own_limit: Arc::new(Rule::new(
                Name::implicit("descriptor", "own-limit"),
                Action::Block,
            )),
            walk,
        }
    }

    fn by_id(&self) -> HashMap<RuleId, &Compiled> {
        let all = self.walk.iter().chain(self.defaults.values());
        all.map(|compiled| (compiled.rule.id, compiled)).collect()
    }
}

/// The tiers that are known. A rule can only name one that is declared, unless the set was never reviewed.
fn tiers(set: &RuleSet) -> HashSet<Name> {
    let named = set.rules.values().filter(|rule| rule.enabled);
    let named = named.flat_map(|rule| &rule.matches.tiers);
    set.tiers.keys().chain(named).cloned().collect()
}

/// Limits of an API key or a user are walked as a rule of priority 0 that names it and nothing else.
fn own_at(ranked: &[(Rank, &Arc<Rule>)]) -> u32 {
    let mut own = Rule::new(Name::implicit("api-key", ""), Action::Block);
    own.matches.api_keys.push("".into());
    let own = Rank::of(&own);
    let before = ranked.partition_point(|(rank, _)| *rank < own);
    u32::try_from(before).unwrap_or(u32::MAX)
}

/// A tier's default limits as a rule.
fn default_rule(tier: &Tier) -> Option<Rule> {
    let limits = tier.default.clone()?;
    let name = Name::implicit("tier", tier.name.as_str());
    Some(Rule::throttle(name, Tier::default_key()?, limits))
}

/// The overrides of the file; the later is the newer. One that names a rule which is not there counts
/// for nothing.
fn exceptions(set: &RuleSet) -> Exceptions {
    let entries = set.overrides.iter().zip(0..).filter_map(|(exception, place)| {
        let rule = match &exception.rule {
            None => None,
            Some(name) => Some(set.rules.get(name)?.id),
        };
        Entry::new(rule, exception, place)
    });
    Exceptions::new(entries)
}

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
        Self { given: Given::of(&rule.matches), rule, lines }
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
                lines.map(|line| LineLimit::Rule(&compiled.rule, line)).for_each(with);
            }
            Self::Own(own) => {
                let lines = own.lines.iter().map(Arc::clone);
                lines.map(LineLimit::Own).for_each(with);
            }
        }
    }
}
