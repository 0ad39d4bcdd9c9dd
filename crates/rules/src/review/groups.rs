//! Groups: names that stand alone, and members that never have their turn.

use std::collections::HashMap;

use super::{
    Flaw, Locus,
    candidates::{Candidates, Search},
    walk::throttle,
};
use crate::{Missing, Name, Rule, RuleSet, nearest};

pub(super) fn check(set: &RuleSet, walk: &[&Rule], flaws: &mut Vec<Flaw>) {
    alone(set, flaws);
    behind(walk, flaws);
}

/// More groups of a single rule than this are no slips, but how somebody names their groups.
const ALONE_MAX: usize = 200;

/// Where there are several groups, one of a single rule whose name is nearly another's is a slip.
fn alone(set: &RuleSet, flaws: &mut Vec<Flaw>) {
    let mut members: HashMap<&Name, Vec<&Rule>> = HashMap::new();
    for rule in set.rules.values() {
        if let Some(group) = throttle(rule).and_then(|throttle| throttle.group.as_ref()) {
            members.entry(group).or_default().push(rule);
        }
    }
    let mut shared: Vec<&str> = members
        .iter()
        .filter(|(_, rules)| rules.len() > 1)
        .map(|(group, _)| group.as_str())
        .collect();
    shared.sort_unstable();
    let mut alone: Vec<(&Name, &Rule)> = members
        .iter()
        .filter_map(|(group, rules)| match rules.as_slice() {
            [rule] => Some((*group, *rule)),
            _ => None,
        })
        .collect();
    if alone.len() > ALONE_MAX {
        return;
    }
    alone.sort_unstable_by_key(|(_, rule)| &rule.name);
    for (group, rule) in alone {
        if let Some(near) = nearest::did_you_mean(group.as_str(), shared.iter().copied()) {
            let message = format!("no other rule is in group {group:?}");
            flaws.push(Flaw::warning(Locus::rule(&rule.name, "group"), message).help(near));
        }
    }
}

/// Of a group only the first that applies does: one that matches no more than an earlier one, and
/// counts by the same key, is never the first.
fn behind<'s>(walk: &[&'s Rule], flaws: &mut Vec<Flaw>) {
    let mut groups: HashMap<&Name, Candidates<'s>> = HashMap::new();
    for rule in walk {
        let Some(later) = throttle(rule) else {
            continue;
        };
        let Some(group) = &later.group else { continue };
        let members = groups.entry(group).or_default();
        let found = members.search(&rule.matches, |other| {
            throttle(other).is_some_and(|earlier| {
                let skips_with_it =
                    later.missing == Missing::Skip || earlier.missing != Missing::Skip;
                earlier.key == later.key && skips_with_it
            })
        });
        if let Search::Found(earlier) = found {
            let message = format!(
                "rule {:?} never applies: of group {group:?}, {:?} comes first for all its requests",
                rule.name, earlier.name
            );
            let at = Locus::rule(&rule.name, "group");
            let flaw = Flaw::warning(at, message).help("remove it, or take it out of the group");
            flaws.push(flaw.related(Locus::whole_rule(&earlier.name), "this one comes first"));
        }
        members.add(rule);
    }
}
