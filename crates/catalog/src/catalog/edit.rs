//! What an editor wants, and what is in the way.

use std::{fmt, sync::Arc};

use tollgate_rules::{Name, Rule, RuleSet, Tier};

use crate::{Author, Revision, RevisionNumber};

/// A change of single rules or tiers: all of its steps or none.
///
/// ```
/// use tollgate_catalog::{Author, Edit, Expect, RevisionNumber, Step};
/// use tollgate_rules::{Action, Rule};
///
/// let rule = Rule::new("maintenance".parse()?, Action::Block);
/// let edit = Edit::new(Author::new("dana").because("planned work"))
///     .step(Step::put(rule), Expect::Absent)
///     .step(Step::remove("old-login".parse()?), Expect::Any);
/// # Ok::<(), tollgate_rules::NameError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Edit {
    pub(super) author: Author,
    pub(super) steps: Vec<(Step, Expect)>,
}

impl Edit {
    /// The most steps of an edit; more is a whole set.
    pub const STEPS_MAX: usize = 1_000;

    /// An edit that changes nothing yet.
    pub const fn new(author: Author) -> Self {
        Self { author, steps: Vec::new() }
    }

    /// With one step more. What it expects holds at the moment of writing, or nothing is written.
    #[must_use]
    pub fn step(mut self, step: Step, expect: Expect) -> Self {
        self.steps.push((step, expect));
        self
    }
}

/// One step of an edit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// Puts a rule in the place of the one that is called `name` now. A rule keeps its id, and so its
    /// counters, under its new name.
    Rule {
        /// What it is called until now.
        name: Name,
        /// What it shall be.
        rule: Arc<Rule>,
    },
    /// Takes a rule away.
    RemoveRule(Name),
    /// Puts a tier in the place of the one of its name.
    Tier(Tier),
    /// Takes a tier away.
    RemoveTier(Name),
    /// Sets the tier of requests that state none.
    DefaultTier(Name),
}

impl Step {
    /// Creates a rule, or changes the one of its name.
    pub fn put(rule: impl Into<Arc<Rule>>) -> Self {
        let rule = rule.into();
        Self::Rule { name: rule.name.clone(), rule }
    }

    /// Changes the rule that is called `name`, its name included.
    pub fn rename(name: Name, rule: impl Into<Arc<Rule>>) -> Self {
        Self::Rule { name, rule: rule.into() }
    }

    /// Takes a rule away.
    pub const fn remove(name: Name) -> Self {
        Self::RemoveRule(name)
    }

    /// What it is about.
    pub(super) fn subject(&self) -> String {
        match self {
            Self::Rule { name, .. } | Self::RemoveRule(name) => format!("rule {name}"),
            Self::Tier(tier) => format!("tier {}", tier.name),
            Self::RemoveTier(name) => format!("tier {name}"),
            Self::DefaultTier(_) => "the default tier".to_owned(),
        }
    }

    /// The version of what it is about; none if that is not there.
    pub(super) fn found(&self, head: &Revision) -> Option<RevisionNumber> {
        // The tiers everything begins with have been there since revision 0.
        let tier = |name: &Name| {
            let stamp = head.tier_stamp(name).map(|stamp| stamp.version);
            let built_in = head.set.tiers.contains_key(name).then_some(RevisionNumber::ZERO);
            stamp.or(built_in)
        };
        match self {
            Self::Rule { name, .. } | Self::RemoveRule(name) => {
                head.rule_stamp(name).map(|stamp| stamp.version)
            }
            Self::Tier(given) => tier(&given.name),
            Self::RemoveTier(name) => tier(name),
            Self::DefaultTier(_) => {
                Some(head.default_tier_stamp().map_or(RevisionNumber::ZERO, |stamp| stamp.version))
            }
        }
    }
}

/// What an editor saw, and what must still be so when the edit is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expect {
    /// It is not there.
    Absent,
    /// It is there in this version: the revision that wrote it last ([`crate::Stamp::version`]).
    Version(RevisionNumber),
    /// It does not matter.
    Any,
}

impl Expect {
    pub(super) fn holds(self, found: Option<RevisionNumber>) -> bool {
        match self {
            Self::Absent => found.is_none(),
            Self::Version(version) => found == Some(version),
            Self::Any => true,
        }
    }
}

/// What a whole set was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Base {
    /// This revision, which must still be the newest.
    Revision(RevisionNumber),
    /// Nothing: the set takes the place of whatever is there.
    Any,
}

/// Two wanted to write, and this one came second: nothing was written. The difference between `head.set`
/// and `ours` shows what would change now.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Conflict {
    /// What it is about: a rule, a tier, or the whole set.
    pub subject: String,
    /// What the editor expected.
    pub expected: Expect,
    /// The version that is there; none if it is not there.
    pub found: Option<RevisionNumber>,
    /// Who wrote that, if anybody did.
    pub author: Option<Arc<str>>,
    /// What is there now: theirs.
    pub head: Arc<Revision>,
    /// What would be there if this write had come through: ours.
    pub ours: Arc<RuleSet>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, .. } = self;
        match (self.expected, self.found) {
            (Expect::Version(expected), Some(found)) => {
                write!(f, "{subject} is at version {found} now, not at {expected}")?;
            }
            (Expect::Version(expected), None) => {
                write!(f, "{subject} is gone, it was expected at version {expected}")?;
            }
            (Expect::Absent, _) => write!(f, "{subject} exists already")?,
            (Expect::Any, _) => write!(f, "{subject} does not exist")?,
        }
        if let Some(author) = &self.author {
            write!(f, " (written by {author})")?;
        }
        f.write_str(": look at the difference and try again")
    }
}
