//! Differences as values.

use crate::{Counters, Name};

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
