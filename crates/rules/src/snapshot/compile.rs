//! From a rule set to a snapshot.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use tollgate_core::RuleId;

use super::{Compiled, Snapshot};
use crate::{
    Action, Name, Rule, RuleSet, Tier, UnknownTier,
    directory::{Entry, Exceptions},
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
        let walk: Vec<Compiled> = ranked
            .iter()
            .map(|(_, rule)| compiled(Arc::clone(rule)))
            .collect();
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
    let entries = set
        .overrides
        .iter()
        .zip(0..)
        .filter_map(|(exception, place)| {
            let rule = match &exception.rule {
                None => None,
                Some(name) => Some(set.rules.get(name)?.id),
            };
            Entry::new(rule, exception, place)
        });
    Exceptions::new(entries)
}
