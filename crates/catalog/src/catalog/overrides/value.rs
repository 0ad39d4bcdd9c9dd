//! An override as it is stored.

use std::{fmt, str::FromStr, sync::Arc};

use tollgate_core::Timestamp;
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
        seq.ok_or_else(|| CatalogError::Corrupt("the number of an override is out of range".to_owned()))
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

/// Who an override is: 1 to 100 letters, digits and `-`, `_`, `.`, `:`.
///
/// ```
/// use tollgate_catalog::OverrideId;
///
/// let id: OverrideId = "contract-412".parse()?;
/// assert_eq!(id.as_str(), "contract-412");
/// assert!("".parse::<OverrideId>().is_err());
/// # Ok::<(), tollgate_catalog::OverrideIdError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OverrideId(Arc<str>);

impl OverrideId {
    /// The longest id.
    pub const BYTES_MAX: usize = 100;

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn numbered(seq: OverrideSeq, at: usize) -> Self {
        Self(match at {
            0 => format!("o{seq}").into(),
            _ => format!("o{seq}-{at}").into(),
        })
    }
}

impl FromStr for OverrideId {
    type Err = OverrideIdError;

    fn from_str(text: &str) -> Result<Self, OverrideIdError> {
        let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_.:".contains(sign);
        if text.is_empty() || text.len() > Self::BYTES_MAX || !text.chars().all(is_plain) {
            return Err(OverrideIdError(text.chars().take(Self::BYTES_MAX).collect()));
        }
        Ok(Self(text.into()))
    }
}

impl fmt::Display for OverrideId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is not the id of an override.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the id of an override: 1 to 100 letters, digits and '-', '_', '.', ':'")]
pub struct OverrideIdError(String);

/// An override that is to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Who it shall be; one that exists is replaced. None makes a new one.
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
    /// The write that made it what it is, its removal included.
    pub seq: OverrideSeq,
    /// Who made it.
    pub author: Arc<str>,
    /// When. Of two for one key the newer one counts.
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
