//! Which rule, tier and override is which, and what is different about it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use tollgate_core::RuleId;

use super::{
    Counters, Diff, Difference, DifferenceKind, FieldChange, Object, exception,
    facts::{self, Fact},
    words::{ANY, NONE},
};
use crate::{Name, Rule, RuleSet, Tier};

/// What is different in `after`.
///
/// A rule is the same rule if its id is, whatever it is called. The order of lists whose order means
/// nothing makes no difference. See [`Diff`].
pub fn diff(before: &RuleSet, after: &RuleSet) -> Diff {
    let mut differences = Vec::new();
    if before.default_tier != after.default_tier {
        let (old, new) = (before.default_tier.as_str(), after.default_tier.as_str());
        let field = Object::DefaultTier.word();
        differences.push(Difference {
            fields: changed(&[Fact::new(field, old)], &[Fact::new(field, new)]),
            ..difference(DifferenceKind::Changed, Object::DefaultTier, field, &[])
        });
    }
    differences.extend(tiers(before, after));
    differences.extend(rules(before, after));
    differences.extend(exception::compare(&before.overrides, &after.overrides));
    Diff { differences }
}

fn tiers(before: &RuleSet, after: &RuleSet) -> Vec<Difference> {
    let names: BTreeSet<&Name> = before.tiers.keys().chain(after.tiers.keys()).collect();
    let one = |name: &Name| tier(name, before.tiers.get(name), after.tiers.get(name));
    names.into_iter().filter_map(one).collect()
}

fn tier(name: &Name, before: Option<&Tier>, after: Option<&Tier>) -> Option<Difference> {
    let (kind, facts) = match (before, after) {
        (Some(before), Some(after)) => {
            let fields = changed(&facts::of_tier(before), &facts::of_tier(after));
            let counters = Counters::of_tiers(before, after);
            return (!fields.is_empty()).then(|| Difference {
                fields,
                counters,
                ..difference(DifferenceKind::Changed, Object::Tier, name.as_str(), &[])
            });
        }
        (Some(before), None) => (DifferenceKind::Removed, facts::of_tier(before)),
        (None, Some(after)) => (DifferenceKind::Added, facts::of_tier(after)),
        (None, None) => return None,
    };
    Some(difference(kind, Object::Tier, name.as_str(), &facts))
}

/// Rules are paired by id, then what is left by name.
fn rules(before: &RuleSet, after: &RuleSet) -> Vec<Difference> {
    let mut gone: BTreeMap<RuleId, &Rule> = BTreeMap::new();
    gone.extend(before.rules.values().map(|rule| (rule.id, &**rule)));
    let mut differences = Vec::new();
    let mut new: Vec<&Rule> = Vec::new();
    for rule in after.rules.values() {
        match gone.remove(&rule.id) {
            Some(old) => differences.extend(same_rule(old, rule)),
            None => new.push(rule),
        }
    }
    for rule in new {
        let replaced = gone
            .values()
            .find(|old| old.name == rule.name)
            .map(|old| old.id);
        match replaced.and_then(|id| gone.remove(&id)) {
            Some(old) => differences.extend(same_rule(old, rule)),
            None => differences.push(one_rule(DifferenceKind::Added, rule)),
        }
    }
    let gone = gone.into_values();
    differences.extend(gone.map(|rule| one_rule(DifferenceKind::Removed, rule)));
    differences.sort_by(|one, other| one.name.cmp(&other.name));
    differences
}

fn same_rule(before: &Rule, after: &Rule) -> Option<Difference> {
    if before == after {
        return None;
    }
    let asked = [before, after].map(|rule| rule.matches.attributes.keys().cloned());
    let attributes: BTreeSet<Arc<str>> = asked.into_iter().flatten().collect();
    let attributes: Vec<Arc<str>> = attributes.into_iter().collect();
    let mut fields = changed(
        &facts::of_rule(before, &attributes),
        &facts::of_rule(after, &attributes),
    );
    if before.name != after.name {
        fields.retain(|change| change.field != "renamed_from"); // says the same once more
    }
    let tiers = if before.matches.tiers == after.matches.tiers {
        after.matches.tiers.clone()
    } else {
        Vec::new()
    };
    (!fields.is_empty()).then(|| Difference {
        tiers,
        fields,
        counters: Counters::of_rules(before, after),
        ..difference(
            DifferenceKind::Changed,
            Object::Rule,
            before.name.as_str(),
            &[],
        )
    })
}

fn one_rule(kind: DifferenceKind, rule: &Rule) -> Difference {
    let attributes: Vec<Arc<str>> = rule.matches.attributes.keys().cloned().collect();
    let facts = facts::of_rule(rule, &attributes);
    Difference {
        tiers: rule.matches.tiers.clone(),
        ..difference(kind, Object::Rule, rule.name.as_str(), &facts)
    }
}

/// A difference that touches no counter, with all that the facts say.
pub(super) fn difference(
    kind: DifferenceKind,
    object: Object,
    name: &str,
    facts: &[Fact],
) -> Difference {
    let is_said = |fact: &&Fact| fact.field != "name" && fact.text != NONE && fact.text != ANY;
    let fields = facts.iter().filter(is_said).cloned().map(|fact| {
        let none = NONE.to_owned();
        let (before, after) = match kind {
            DifferenceKind::Removed => (fact.text, none),
            DifferenceKind::Added | DifferenceKind::Changed => (none, fact.text),
        };
        let field = fact.field;
        FieldChange {
            field,
            before,
            after,
        }
    });
    Difference {
        kind,
        object,
        name: name.to_owned(),
        tiers: Vec::new(),
        fields: fields.collect(),
        counters: Counters::NotApplicable,
    }
}

/// The fields that say something else; both sides have the same fields in the same order.
pub(super) fn changed(before: &[Fact], after: &[Fact]) -> Vec<FieldChange> {
    let pairs = before.iter().zip(after);
    let changed = pairs.filter(|(before, after)| before.text != after.text);
    let changed = changed.map(|(before, after)| FieldChange {
        // `limit` on one side and `limits` on the other are `limits`.
        field: before.field.clone().max(after.field.clone()),
        before: before.text.clone(),
        after: after.text.clone(),
    });
    changed.collect()
}
