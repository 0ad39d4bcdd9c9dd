//! The hash of what a revision holds.

use std::{fmt, str::FromStr};

use crate::sql::Value;

/// A hash of content: equal hashes, equal content. Written as 64 hexadecimal digits.
///
/// ```
/// use tollgate_catalog::RevisionHash;
///
/// let hash = RevisionHash::of(&[b"a", b"b"]);
/// assert_eq!(hash.to_string().parse(), Ok(hash));
/// assert_ne!(hash, RevisionHash::of(&[b"ab"]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RevisionHash([u8; 32]);

impl RevisionHash {
    /// The hash of several parts, which are kept apart.
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            // A part is in memory, so its length fits.
            hasher.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }

    /// The bytes of the hash.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for RevisionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for RevisionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for RevisionHash {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, NotAHash> {
        let hash = blake3::Hash::from_hex(text).map_err(|_| NotAHash)?;
        Ok(Self(hash.into()))
    }
}

impl From<RevisionHash> for Value {
    fn from(hash: RevisionHash) -> Self {
        Self::from(hash.to_string())
    }
}

/// A text that is not a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a content hash is 64 hexadecimal digits")]
pub struct NotAHash;
