//! Requests that a rule skips for want of a fact, and that nothing else limits (SPEC 12.2).
//!
//! Of every request the address, the path, the method and the tier are taken to be known; who is
//! asking is not.

use super::{
    Flaw, Locus,
    candidates::{Candidates, Search},
    walk::throttle,
};
use crate::{Field, Key, KeyField, Match, Missing, Name, Rule, RuleSet};

pub(super) fn check<'s>(set: &RuleSet, walk: &[&'s Rule], flaws: &mut Vec<Flaw>) {
    let mut throttles: Candidates<'s> = Candidates::default();
    for rule in walk {
        if throttle(rule).is_some() {
            throttles.add(rule);
        }
    }
    for rule in walk {
        let Some(own) = throttle(rule) else { continue };
        if own.missing != Missing::Skip {
            continue;
        }
        let fields = own.key.fields().iter();
        for field in fields.filter(|field| may_miss(field, &rule.matches)) {
            let counts = |other| counts_without(other, &rule.matches, field);
            let found = throttles.search(&rule.matches, counts);
            if matches!(found, Search::Nothing) && !has_default(set, rule, field) {
                flaws.push(flaw(&rule.name, field));
            }
        }
    }
}

/// Whether a request that the rule matches may lack every alternative of the field.
fn may_miss(field: &KeyField, matches: &Match) -> bool {
    field.alternatives().iter().all(|fact| match fact {
        Field::User => matches.users.is_empty(),
        Field::Org => matches.orgs.is_empty(),
        Field::ApiKey => matches.api_keys.is_empty(),
        Field::Region => matches.regions.is_empty(),
        Field::Attribute(name) => {
            let in_descriptor = matches.descriptor.iter().flatten().any(|entry| entry.key == *name);
            !matches.attributes.contains_key(name) && !in_descriptor
        }
        Field::Ip | Field::Endpoint | Field::Method | Field::Tier => false,
    })
}

/// Whether another rule counts the requests of `matches` that lack `missing`.
fn counts_without(other: &Rule, matches: &Match, missing: &KeyField) -> bool {
    let is_there = |field: &KeyField| {
        let mut facts = field.alternatives().iter();
        !may_miss(field, matches) || facts.any(|fact| !missing.alternatives().contains(fact))
    };
    throttle(other).is_some_and(|other| {
        other.missing != Missing::Skip || other.key.fields().iter().all(is_there)
    })
}

/// Whether the default limits of every tier the rule is about count such a request.
fn has_default(set: &RuleSet, rule: &Rule, missing: &KeyField) -> bool {
    let counted_by = [Field::User, Field::ApiKey, Field::Ip];
    let mut counted_by = counted_by.iter();
    let is_counted = counted_by.any(|fact| !missing.alternatives().contains(fact));
    let has_limits = |name: &Name| set.tiers.get(name).is_some_and(|tier| tier.default.is_some());
    let about = &rule.matches.tiers;
    let every = match about.as_slice() {
        [] => set.tiers.keys().all(has_limits),
        tiers => tiers.iter().all(has_limits),
    };
    is_counted && every
}

fn flaw(name: &Name, field: &KeyField) -> Flaw {
    let facts: Vec<String> = field.alternatives().iter().map(ToString::to_string).collect();
    let facts = facts.join(" or ");
    let message = format!("nothing limits requests without {facts}: this rule skips them");
    let help = if Key::new([field.clone()]).is_ok_and(|key| key.contains(&Field::Ip)) {
        "write missing: shared or missing: deny".to_owned()
    } else {
        format!("write missing: shared, missing: deny, or key: [\"{field}|ip\"]")
    };
    Flaw::warning(Locus::rule(name, "key"), message).help(help)
}
