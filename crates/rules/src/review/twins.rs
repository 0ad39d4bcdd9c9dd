//! Rules that say the same of the same requests.

use std::collections::HashMap;

use super::{Flaw, Locus};
use crate::{Action, AttributeCondition, Match, Rule};

/// Throttles with the same match and key count the same requests twice.
pub(super) fn check(walk: &[&Rule], flaws: &mut Vec<Flaw>) {
    let mut known: HashMap<String, &Rule> = HashMap::with_capacity(walk.len());
    for rule in walk {
        let Action::Throttle(throttle) = &rule.action else {
            continue;
        };
        let said = format!("{:?} {}", sorted(&rule.matches), throttle.key);
        let Some(first) = known.insert(said, rule) else {
            continue;
        };
        let message =
            format!("rules {:?} and {:?} have the same match and key", first.name, rule.name);
        let at = Locus::whole_rule(&rule.name);
        let help = "write one rule with limits: [...], or tell them apart by match or key";
        let flaw = Flaw::warning(at, message).help(help);
        flaws.push(flaw.related(Locus::whole_rule(&first.name), "the other one"));
    }
}

/// The order of a list has no meaning.
fn sorted(matches: &Match) -> Match {
    let mut matches = matches.clone();
    matches.tiers.sort_unstable();
    matches.users.sort_unstable();
    matches.orgs.sort_unstable();
    matches.api_keys.sort_unstable();
    matches.regions.sort_unstable();
    matches.methods.sort_unstable();
    matches.networks.sort_unstable();
    for condition in matches.attributes.values_mut() {
        if let AttributeCondition::OneOf(values) = condition {
            values.sort_unstable();
        }
    }
    matches
}
