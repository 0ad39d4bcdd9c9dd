//! The rules as requests meet them.

use crate::{Action, Rule, RuleSet, Throttle, order::Rank};

/// The rules that are enabled, in the order in which they are walked.
pub(super) fn walk(set: &RuleSet) -> Vec<&Rule> {
    let rules = set.rules.values().filter(|rule| rule.enabled);
    let mut ranked: Vec<(Rank, &Rule)> = rules.map(|rule| (Rank::of(rule), &**rule)).collect();
    ranked.sort_unstable_by(|(one, _), (two, _)| one.cmp(two));
    ranked.into_iter().map(|(_, rule)| rule).collect()
}

/// What a rule counts, if it counts.
pub(super) const fn throttle(rule: &Rule) -> Option<&Throttle> {
    match &rule.action {
        Action::Throttle(throttle) => Some(throttle),
        _ => None,
    }
}
