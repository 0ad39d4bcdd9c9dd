//! Names that must exist, and ids that must not exist twice.

use std::collections::HashMap;

use super::{Flaw, Locus};
use crate::{Name, Rule, RuleSet, Tier};

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
        let rule: &Rule = rule;
        if *name != rule.name {
            let message = format!("rule {:?} is kept under the name {name:?}", rule.name);
            flaws.push(Flaw::error(Locus::rule(&rule.name, "name"), message));
        }
        if let Some(first) = known.insert(rule.id, rule) {
            flaws.push(same_id(first, rule));
        }
    }
}

fn same_id(first: &Rule, second: &Rule) -> Flaw {
    // The one that was renamed is the one to speak about.
    let (one, other) = match first.renamed_from {
        Some(_) if second.renamed_from.is_none() => (first, second),
        _ => (second, first),
    };
    let (message, help) = match &one.renamed_from {
        Some(old) if *old == other.name => (
            format!("rule {:?} was renamed from {old:?}, but {old:?} is still there", one.name),
            "they would share counters: remove renamed_from, or the rule of the old name",
        ),
        _ => (
            format!("rules {:?} and {:?} have the same id", other.name, one.name),
            "they would share counters: only one rule can be what was renamed",
        ),
    };
    let at = match one.renamed_from {
        Some(_) => Locus::rule(&one.name, "renamed_from"),
        None => Locus::whole_rule(&one.name),
    };
    let flaw = Flaw::error(at, message).help(help);
    flaw.related(Locus::whole_rule(&other.name), "the other one")
}
