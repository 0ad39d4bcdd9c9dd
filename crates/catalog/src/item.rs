//! What a revision is made of, as it is stored.

use std::{collections::BTreeMap, fmt, str::FromStr, sync::Arc};

use crate::RevisionHash;

/// What kind of thing an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ItemKind {
    /// A setting of the whole set, such as the default tier.
    Setting,
    /// A tier.
    Tier,
    /// A rule.
    Rule,
    /// An override that stands in the rules file.
    Override,
}

impl ItemKind {
    /// As it is stored and shown.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Setting => "setting",
            Self::Tier => "tier",
            Self::Rule => "rule",
            Self::Override => "override",
        }
    }
}

impl fmt::Display for ItemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for ItemKind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        let kinds = [Self::Setting, Self::Tier, Self::Rule, Self::Override];
        kinds.into_iter().find(|kind| kind.word() == text).ok_or(UnknownKind)
    }
}

/// A kind that a newer release knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a kind of item that this release does not know")]
pub struct UnknownKind;

/// Who an item is, for ever: its name may change, this does not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct ItemKey {
    /// What it is.
    pub kind: ItemKind,
    /// Unique among its kind.
    pub id: Arc<str>,
}

impl ItemKey {
    pub(crate) fn new(kind: ItemKind, id: impl Into<Arc<str>>) -> Self {
        Self { kind, id: id.into() }
    }
}

/// An item as it is to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) name: Arc<str>,
    /// The place among those whose order counts; 0 for all others.
    pub(crate) position: i64,
    /// JSON.
    pub(crate) body: String,
}

impl Item {
    /// Of all that makes it what it is.
    pub(crate) fn hash(&self, key: &ItemKey) -> RevisionHash {
        RevisionHash::of(&[
            key.kind.word().as_bytes(),
            key.id.as_bytes(),
            self.name.as_bytes(),
            &self.position.to_le_bytes(),
            self.body.as_bytes(),
        ])
    }
}

/// The hash of a whole revision, from those of its items in the order of their keys.
pub(crate) fn hash_all<'a>(hashes: impl IntoIterator<Item = &'a RevisionHash>) -> RevisionHash {
    let bytes: Vec<u8> = hashes.into_iter().flat_map(|hash| *hash.as_bytes()).collect();
    RevisionHash::of(&[&bytes])
}

pub(crate) type Items = BTreeMap<ItemKey, Item>;

/// A record that changed between two revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ItemChange {
    /// What it is.
    pub kind: ItemKind,
    /// Its id.
    pub id: Arc<str>,
    /// Its name after the change; before it, if it was removed.
    pub name: Arc<str>,
    /// What was stored before, as JSON; none if it is new.
    pub before: Option<String>,
    /// What is stored since, as JSON; none if it was removed.
    pub after: Option<String>,
}
