//! Which rule, tier and override is which, and what is different about it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use tollgate_core::{Limit, LimitSet, RuleId};

use super::{
    words,
    words::{ANY, Fact, NONE},
};
use crate::{Action, Change, Field, Name, Override, Rule, RuleSet, Throttle, Tier};

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
    differences.extend(words::compare(&before.overrides, &after.overrides));
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
            let fields = changed(&words::of_tier(before), &words::of_tier(after));
            let counters = Counters::of_tiers(before, after);
            return (!fields.is_empty()).then(|| Difference {
                fields,
                counters,
                ..difference(DifferenceKind::Changed, Object::Tier, name.as_str(), &[])
            });
        }
        (Some(before), None) => (DifferenceKind::Removed, words::of_tier(before)),
        (None, Some(after)) => (DifferenceKind::Added, words::of_tier(after)),
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
        let replaced = gone.values().find(|old| old.name == rule.name).map(|old| old.id);
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
    let mut fields =
        changed(&words::of_rule(before, &attributes), &words::of_rule(after, &attributes));
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
        ..difference(DifferenceKind::Changed, Object::Rule, before.name.as_str(), &[])
    })
}

fn one_rule(kind: DifferenceKind, rule: &Rule) -> Difference {
    let attributes: Vec<Arc<str>> = rule.matches.attributes.keys().cloned().collect();
    let facts = words::of_rule(rule, &attributes);
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
        FieldChange { field, before, after }
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

/// What becomes of the counters when a change goes live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Counters {
    /// What was spent stays spent.
    Kept,
    /// What was spent is forgotten.
    StartFresh {
        /// Why.
        why: &'static str,
    },
    /// What was spent in the current window counts on as if spent now.
    CarriedOver,
    /// Nothing that counts is changed.
    NotApplicable,
}

impl Counters {
    /// Of a rule that changed.
    pub(super) fn of_rules(before: &Rule, after: &Rule) -> Self {
        let (old, new) = match (&before.action, &after.action) {
            (Action::Throttle(old), Action::Throttle(new)) => (old, new),
            (_, Action::Throttle(_)) => return NEW,
            _ => return Self::NotApplicable,
        };
        let why = if before.id != after.id {
            "another rule has taken the name"
        } else if old.key != new.key {
            "the key changed"
        } else if names_by_pattern(old) && before.matches.endpoint != after.matches.endpoint {
            "the key holds the endpoint, whose pattern changed"
        } else {
            return Self::of_limits(&old.limits, &new.limits);
        };
        Self::StartFresh { why }
    }

    /// Of a tier that changed.
    pub(super) fn of_tiers(before: &Tier, after: &Tier) -> Self {
        match (&before.default, &after.default) {
            (old, new) if old == new => Self::NotApplicable,
            (Some(old), Some(new)) => Self::of_limits(old, new),
            (None, Some(_)) => NEW,
            (_, None) => Self::NotApplicable,
        }
    }

    /// Of an override that changed.
    pub(super) fn of_overrides(before: &Override, after: &Override) -> Self {
        match (&before.change, &after.change) {
            (Change::Limit(old), Change::Limit(new)) => {
                Self::of_limits(&old.clone().into(), &new.clone().into())
            }
            (Change::Limits(old), Change::Limits(new)) => Self::of_limits(old, new),
            _ => Self::Kept,
        }
    }

    /// A limit of the same period and algorithm counts on. Another algorithm, or a period in the place
    /// of one that is gone, takes over what was spent.
    fn of_limits(before: &LimitSet, after: &LimitSet) -> Self {
        let same = |limit: &Limit, others: &LimitSet| {
            let mut others = others.iter();
            let same = others.find(|other| other.period() == limit.period());
            same.map(Limit::algorithm)
        };
        let is_other_algorithm = |limit: &Limit| {
            let algorithm = same(limit, before);
            algorithm.is_some_and(|algorithm| algorithm != limit.algorithm())
        };
        let is_gone = before.iter().any(|limit| same(limit, after).is_none());
        let is_new = after.iter().any(|limit| same(limit, before).is_none());
        if is_gone && is_new || after.iter().any(is_other_algorithm) {
            Self::CarriedOver
        } else {
            Self::Kept
        }
    }
}

const NEW: Counters = Counters::StartFresh { why: "nothing was counted before" };

/// Whether a counter's name holds the rule's pattern.
fn names_by_pattern(throttle: &Throttle) -> bool {
    throttle.key.contains(&Field::Endpoint)
}

/// All that is different, in a fixed order: the default tier, tiers, rules and overrides, each by name.
/// It prints as one line for each, with a line more for every field where several changed.
///
/// ```
/// use tollgate_rules::{Field, Key, Rule, RuleSet, diff};
///
/// let with = |limit: &str| -> Result<RuleSet, Box<dyn std::error::Error>> {
///     let key = Key::new([Field::User.into()])?;
///     let mut rule = Rule::throttle("login".parse()?, key, limit.parse()?);
///     rule.matches.tiers = vec!["free".parse()?];
///     let mut rules = RuleSet::default();
///     rules.rules.insert(rule.name.clone(), rule.into());
///     Ok(rules)
/// };
/// let changes = diff(&with("5/min")?, &with("10/min")?);
/// assert_eq!(changes.to_string(), "login: 5/min → 10/min for tier free; counters kept\n");
/// assert!(diff(&with("5/min")?, &with("5/min")?).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    pub(super) differences: Vec<Difference>,
}

impl Diff {
    /// Whether nothing is different.
    pub const fn is_empty(&self) -> bool {
        self.differences.is_empty()
    }

    /// How many rules, tiers and overrides are different.
    pub const fn len(&self) -> usize {
        self.differences.len()
    }

    /// Each difference, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Difference> {
        self.differences.iter()
    }
}

impl<'a> IntoIterator for &'a Diff {
    type Item = &'a Difference;
    type IntoIter = std::slice::Iter<'a, Difference>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// What is different about one rule, tier or override.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// Whether it is new, gone, or another.
    pub kind: DifferenceKind,
    /// What it is about.
    pub object: Object,
    /// What it is called; of a renamed rule the name it had.
    pub name: String,
    /// The tiers a rule is about, if its match names some.
    pub tiers: Vec<Name>,
    /// What changed; of something new or gone all that is not left out.
    pub fields: Vec<FieldChange>,
    /// What becomes of the counters.
    pub counters: Counters,
}

/// Whether something is new, gone, or another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// Only in the second set.
    Added,
    /// Only in the first set.
    Removed,
    /// In both, and not the same.
    Changed,
}

impl DifferenceKind {
    /// As it is printed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }
}

/// What a difference is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Object {
    /// The tier of requests that state none.
    DefaultTier,
    /// A tier.
    Tier,
    /// A rule.
    Rule,
    /// An override.
    Override,
}

impl Object {
    /// As it is printed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::DefaultTier => "default_tier",
            Self::Tier => "tier",
            Self::Rule => "rule",
            Self::Override => "override",
        }
    }
}

/// One field, and what it says before and after: in the words of a rules file, `(none)` for what is
/// not there, `(any)` for a condition that is not made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldChange {
    /// The field as in a file, such as `limit` or `match.endpoint`.
    pub field: String,
    /// What it said.
    pub before: String,
    /// What it says.
    pub after: String,
}
