//! What a review finds.

use std::fmt;

use crate::Name;

/// Whether a document is refused, or only remarked upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It is refused.
    Error,
    /// It is accepted, but probably not what was meant.
    Warning,
}

impl Severity {
    /// In lower case, as in a report.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// One thing that is wrong with a rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flaw {
    /// Where.
    pub at: Locus,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// What else it is about, and how.
    pub related: Option<(Locus, &'static str)>,
}

impl Flaw {
    pub(crate) fn error(at: Locus, message: impl Into<String>) -> Self {
        Self { at, severity: Severity::Error, message: message.into(), help: None, related: None }
    }

    pub(crate) fn warning(at: Locus, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(at, message) }
    }

    /// The same, only remarked upon.
    pub(crate) fn remarked(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn related(mut self, at: Locus, how: &'static str) -> Self {
        self.related = Some((at, how));
        self
    }
}

/// What a flaw is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Locus {
    /// A rule, or one of its fields, written as `match.tier`.
    Rule {
        /// Which rule.
        name: Name,
        /// Which field.
        field: Option<&'static str>,
    },
    /// A tier.
    Tier(Name),
    /// An override, by its place in [`crate::RuleSet::overrides`], or one of its fields.
    Override {
        /// Which override.
        index: usize,
        /// Which field.
        field: Option<&'static str>,
    },
    /// The default tier.
    DefaultTier,
    /// The rule set as a whole.
    Whole,
}

impl Locus {
    pub(crate) fn whole_rule(name: &Name) -> Self {
        Self::Rule { name: name.clone(), field: None }
    }

    pub(crate) fn rule(name: &Name, field: &'static str) -> Self {
        Self::Rule { name: name.clone(), field: Some(field) }
    }
}

/// For where there is no text to point at: `rule "login", field match.tier`.
impl fmt::Display for Locus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = match self {
            Self::Rule { name, field } => {
                write!(f, "rule {name:?}")?;
                *field
            }
            Self::Override { index, field } => {
                write!(f, "override {}", index.saturating_add(1))?;
                *field
            }
            Self::Tier(name) => return write!(f, "tier {name:?}"),
            Self::DefaultTier => return f.write_str("default_tier"),
            Self::Whole => return f.write_str("the rules"),
        };
        field.map_or(Ok(()), |field| write!(f, ", field {field}"))
    }
}
