//! How a revision came about.

use std::{fmt, str::FromStr, sync::Arc};

use tollgate_core::Timestamp;

use super::{RevisionHash, RevisionNumber};
use crate::CatalogError;

/// Who writes, and why.
///
/// ```
/// use tollgate_catalog::Author;
///
/// let author = Author::new("dana").because("credential stuffing since 14:00");
/// assert_eq!(author.name(), "dana");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    name: Arc<str>,
    reason: Option<Arc<str>>,
    role: Option<Arc<str>>,
    from: Option<Arc<str>>,
    request: Option<Arc<str>>,
}

impl Author {
    /// The longest name; what is longer is cut.
    pub const NAME_CHARS_MAX: usize = 200;
    /// The longest reason; what is longer is cut.
    pub const REASON_CHARS_MAX: usize = 2_000;

    /// Somebody who gives no reason.
    pub fn new(name: &str) -> Self {
        Self {
            name: cut(name, Self::NAME_CHARS_MAX),
            reason: None,
            role: None,
            from: None,
            request: None,
        }
    }

    /// As it was stored: name, role, address, request, reason.
    pub(crate) fn from_texts(texts: [Option<&str>; 5]) -> Self {
        let [name, role, from, request, reason] = texts;
        let text = |text: Option<&str>| text.map(Into::into);
        Self {
            name: name.unwrap_or_default().into(),
            reason: text(reason),
            role: text(role),
            from: text(from),
            request: text(request),
        }
    }

    /// In a role.
    #[must_use]
    pub fn acting_as(mut self, role: &str) -> Self {
        self.role = Some(cut(role, Self::NAME_CHARS_MAX));
        self
    }

    /// From an address.
    #[must_use]
    pub fn calling_from(mut self, address: &str) -> Self {
        self.from = Some(cut(address, Self::NAME_CHARS_MAX));
        self
    }

    /// By a request of this id.
    #[must_use]
    pub fn by_request(mut self, id: &str) -> Self {
        self.request = Some(cut(id, Self::NAME_CHARS_MAX));
        self
    }

    /// With a reason; an empty one is none.
    #[must_use]
    pub fn because(mut self, reason: &str) -> Self {
        let reason = cut(reason.trim(), Self::REASON_CHARS_MAX);
        self.reason = (!reason.is_empty()).then_some(reason);
        self
    }

    /// Who.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// In which role, if that is known.
    pub fn role(&self) -> Option<&str> {
        self.role.as_deref()
    }

    /// From where, if that is known.
    pub fn from(&self) -> Option<&str> {
        self.from.as_deref()
    }

    /// By which request, if that is known.
    pub fn request(&self) -> Option<&str> {
        self.request.as_deref()
    }
}

/// PostgreSQL keeps no zero characters in a text.
fn cut(text: &str, chars_max: usize) -> Arc<str> {
    let kept: String = text.chars().filter(|&sign| sign != '\0').take(chars_max).collect();
    kept.into()
}

/// One line of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RevisionInfo {
    /// Its number.
    pub number: RevisionNumber,
    /// The hash of all it holds.
    pub hash: RevisionHash,
    /// What kind of write made it.
    pub kind: RevisionKind,
    /// Whose content it brought back, if it is a rollback.
    pub back_to: Option<RevisionNumber>,
    /// Who wrote it.
    pub author: Arc<str>,
    /// Why.
    pub reason: Option<Arc<str>>,
    /// When.
    pub created_at: Timestamp,
    /// How many rules, tiers, settings and overrides it changed.
    pub changed: u64,
}

/// What kind of write made a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RevisionKind {
    /// Single rules or tiers were changed.
    Edit,
    /// A whole set took the place of another.
    Apply,
    /// The content of an earlier revision was brought back.
    Rollback,
}

impl RevisionKind {
    /// As it is stored and shown.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Apply => "apply",
            Self::Rollback => "rollback",
        }
    }
}

impl fmt::Display for RevisionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for RevisionKind {
    type Err = CatalogError;

    fn from_str(text: &str) -> Result<Self, CatalogError> {
        let kinds = [Self::Edit, Self::Apply, Self::Rollback];
        let found = kinds.into_iter().find(|kind| kind.word() == text);
        found.ok_or_else(|| CatalogError::Corrupt("a revision of an unknown kind".to_owned()))
    }
}
