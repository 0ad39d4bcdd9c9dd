//! An override as it is stored.

use std::{fmt, sync::Arc};

use tollgate_core::{RuleId, Timestamp};
use tollgate_rules::Override;

use crate::{CatalogError, sql::Value};

/// The number of a write to the overrides. Numbers only grow; 0 is before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OverrideSeq(i64);

impl OverrideSeq {
    /// Before the first write.
    pub const ZERO: Self = Self(0);

    /// The number.
    pub const fn get(self) -> u64 {
        self.0.cast_unsigned()
    }

    /// The write of this number; none beyond 2⁶³ − 2.
    pub fn new(seq: u64) -> Option<Self> {
        i64::try_from(seq).ok().filter(|&seq| seq < i64::MAX).map(Self)
    }

    pub(crate) fn from_row(seq: i64) -> Result<Self, CatalogError> {
        let seq = u64::try_from(seq).ok().and_then(Self::new);
        seq.ok_or_else(|| {
            CatalogError::Corrupt("the number of an override is out of range".to_owned())
        })
    }
}

impl fmt::Display for OverrideSeq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<OverrideSeq> for Value {
    fn from(seq: OverrideSeq) -> Self {
        Self::from(seq.0)
    }
}

/// Who an override is. Numbers are given in the order of creation: of two for one key, the higher is the
/// newer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OverrideId(i64);

impl OverrideId {
    /// The override of this number; none beyond 2⁶³ − 2.
    pub fn new(id: u64) -> Option<Self> {
        i64::try_from(id).ok().filter(|&id| id < i64::MAX).map(Self)
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0.cast_unsigned()
    }

    pub(super) fn from_row(id: i64) -> Result<Self, CatalogError> {
        let id = u64::try_from(id).ok().and_then(Self::new);
        id.ok_or_else(|| CatalogError::Corrupt("the id of an override is out of range".to_owned()))
    }
}

impl fmt::Display for OverrideId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<OverrideId> for Value {
    fn from(id: OverrideId) -> Self {
        Self::from(id.0)
    }
}

/// An override that is to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Which one it replaces; it keeps its id, and so its age. None makes a new one.
    pub id: Option<OverrideId>,
    /// What it says.
    pub what: Override,
}

impl From<Override> for Draft {
    fn from(what: Override) -> Self {
        Self { id: None, what }
    }
}

/// An override as it is stored.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoredOverride {
    /// Who it is.
    pub id: OverrideId,
    /// What it says.
    pub what: Override,
    /// The rule it names, by its id: that stays when the rule is renamed.
    pub rule_id: Option<RuleId>,
    /// The write that made it what it is, its removal included.
    pub seq: OverrideSeq,
    /// Who made it.
    pub author: Arc<str>,
    /// When.
    pub created_at: Timestamp,
    /// When it was taken away, and by whom.
    pub removed: Option<Removal>,
}

/// When an override was taken away, and by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removal {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub by: Arc<str>,
}

impl StoredOverride {
    /// When it ends or ended: by itself, or because it was taken away. None is never.
    pub fn ends_at(&self) -> Option<Timestamp> {
        let removed = self.removed.as_ref().map(|removal| removal.at);
        match (self.what.until, removed) {
            (Some(until), Some(removed)) => Some(until.min(removed)),
            (until, removed) => until.or(removed),
        }
    }

    /// Whether it counts at a moment.
    pub fn is_in_force(&self, now: Timestamp) -> bool {
        self.ends_at().is_none_or(|end| now < end)
    }
}
