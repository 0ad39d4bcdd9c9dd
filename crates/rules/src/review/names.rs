//! Names that must exist, and ids that must not exist twice.

use std::collections::HashMap;

use super::{Flaw, Locus};
use crate::{Name, RuleSet, Tier};

pub(super) fn check(set: &RuleSet, flaws: &mut Vec<Flaw>) {
    sizes(set, flaws);
    ids(set, flaws);
    let declared = || {
        let names: Vec<&str> = set.tiers.keys().take(8).map(Name::as_str).collect();
        format!("declare it under tiers; declared are {}", names.join(", "))
    };
    if !set.tiers.contains_key(&set.default_tier) {
        let message = format!("default_tier {:?} is not declared", set.default_tier);
        flaws.push(Flaw::error(Locus::DefaultTier, message).help(declared()));
    }
    for rule in set.rules.values() {
        let tiers = rule.matches.tiers.iter();
        for tier in tiers.filter(|tier| !set.tiers.contains_key(*tier)) {
            let message = format!("tier {tier:?} is not declared");
            let at = Locus::rule(&rule.name, "match.tier");
            flaws.push(Flaw::error(at, message).help(declared()));
        }
    }
}

fn sizes(set: &RuleSet, flaws: &mut Vec<Flaw>) {
    let sizes = [
        ("rules", set.rules.len(), RuleSet::RULES_MAX),
        ("tiers", set.tiers.len(), Tier::COUNT_MAX),
        ("overrides", set.overrides.len(), RuleSet::OVERRIDES_MAX),
    ];
    for (noun, given, max) in sizes {
        if given > max {
            let message = format!("there are {given} {noun}, at most {max} are allowed");
            flaws.push(Flaw::error(Locus::Whole, message));
        }
    }
}

fn ids(set: &RuleSet, flaws: &mut Vec<Flaw>) {
    let mut known = HashMap::with_capacity(set.rules.len());
    for (name, rule) in &set.rules {
        if *name != rule.name {
            let message = format!("rule {:?} is kept under the name {name:?}", rule.name);
            flaws.push(Flaw::error(Locus::rule(&rule.name, "name"), message));
        }
        if let Some(first) = known.insert(rule.id, &rule.name) {
            let message = format!("rules {first:?} and {:?} have the same id", rule.name);
            let field = if rule.renamed_from.is_some() {
                "renamed_from"
            } else {
                "name"
            };
            let help = "they would share counters: only one rule can be what was renamed";
            flaws.push(Flaw::error(Locus::rule(&rule.name, field), message).help(help));
        }
    }
}
