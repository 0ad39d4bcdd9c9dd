//! A whole set of rules: what one revision holds.

use std::{collections::BTreeMap, sync::Arc};

use tollgate_core::RuleId;

use crate::{Name, Override, Rule, Tier};

/// Rules, tiers and the overrides of the file: everything one revision holds.
///
/// What the parts cannot promise alone is checked by [`crate::review`]: unique ids, declared tiers,
/// overrides that name a rule's key.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RuleSet {
    /// The tier of a request that states none.
    pub default_tier: Name,
    /// The tiers, by name.
    pub tiers: BTreeMap<Name, Tier>,
    /// The rules, by name.
    pub rules: BTreeMap<Name, Arc<Rule>>,
    /// Overrides that are written in the file.
    pub overrides: Vec<Override>,
}

impl RuleSet {
    /// The most rules.
    pub const RULES_MAX: usize = 100_000;
    /// The most overrides in a file; those in the catalog are not bounded by it.
    pub const OVERRIDES_MAX: usize = 100_000;

    /// The default tier of a file that names none: `free`.
    pub(crate) fn default_tier_name() -> Option<Name> {
        "free".parse().ok()
    }

    /// Gives every rule the id that it has in `live`, under its name or the one it was renamed from: so a
    /// rule that was renamed twice is still the same, and so is one that was renamed elsewhere.
    pub fn adopt_ids(&mut self, live: &Self) {
        let id_of = |set: &Self, rule: &Rule| {
            let former = rule.renamed_from.as_ref();
            let former = former.filter(|former| !set.rules.contains_key(*former));
            let theirs = live.rules.get(&rule.name);
            let theirs = theirs.or_else(|| live.rules.get(former?));
            theirs.map(|theirs| theirs.id)
        };
        let adopted: Vec<(Name, RuleId)> = self
            .rules
            .iter()
            .filter_map(|(name, rule)| Some((name.clone(), id_of(self, rule)?)))
            .collect();
        for (name, id) in adopted {
            match self.rules.get_mut(&name) {
                Some(rule) if rule.id != id => Arc::make_mut(rule).id = id,
                _ => {}
            }
        }
    }
}

/// No rules, and the tiers everything begins with.
impl Default for RuleSet {
    fn default() -> Self {
        let tiers: BTreeMap<Name, Tier> =
            Tier::built_in().into_iter().map(|tier| (tier.name.clone(), tier)).collect();
        let lowest = tiers.values().min_by_key(|tier| tier.rank);
        Self {
            default_tier: lowest
                .map_or_else(|| Name::implicit("tier", "none"), |tier| tier.name.clone()),
            tiers,
            rules: BTreeMap::new(),
            overrides: Vec::new(),
        }
    }
}
