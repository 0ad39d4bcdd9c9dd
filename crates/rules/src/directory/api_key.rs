//! Who holds an API key.

use std::{fmt, sync::Arc};

use tollgate_core::{LimitSet, Timestamp};

/// What is kept of a secret that somebody shows: a keyed hash, from which it cannot be had back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyDigest([u8; 32]);

impl KeyDigest {
    /// Of these bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// It is as good as random, so its beginning is as good as a hash.
    pub(super) fn hash(&self) -> u64 {
        let first = self.0.first_chunk().copied();
        u64::from_be_bytes(first.unwrap_or_default())
    }

    /// Whether it is the same; a near miss takes as long as a far one.
    pub fn is(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        let differing = pairs.fold(0, |differing, (one, other)| differing | (one ^ other));
        std::hint::black_box(differing) == 0
    }
}

/// Never shown: whoever knew it could look for the secret at leisure.
impl fmt::Debug for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyDigest(…)")
    }
}

/// An API key as decisions know it.
///
/// ```
/// use tollgate_rules::{ApiKey, KeyDigest};
///
/// let mut key = ApiKey::new("k17".into(), KeyDigest::new([7; 32]));
/// key.user = Some("alice".into());
/// assert_eq!(&*key.id, "k17");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ApiKey {
    /// What it is called wherever it is named: in rules, counters, logs. Never the key itself.
    pub id: Arc<str>,
    /// What the key hashes to.
    pub digest: KeyDigest,
    /// What it was before it was rotated, and until when that is still accepted.
    pub former: Option<(KeyDigest, Timestamp)>,
    /// Whose it is.
    pub user: Option<Arc<str>>,
    /// For which organisation.
    pub org: Option<Arc<str>>,
    /// Of which tier.
    pub tier: Option<Arc<str>>,
    /// Its own limits, beside those of the rules.
    pub limits: Option<LimitSet>,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

impl ApiKey {
    /// A key of nobody in particular, without limits and without end.
    pub const fn new(id: Arc<str>, digest: KeyDigest) -> Self {
        Self {
            id,
            digest,
            former: None,
            user: None,
            org: None,
            tier: None,
            limits: None,
            expires_at: None,
            revoked_at: None,
        }
    }

    /// Whether a digest is its own, or that of the key it was rotated from.
    pub(super) fn has(&self, digest: &KeyDigest) -> bool {
        let former = self.former.as_ref().map(|(former, _)| former);
        self.digest.is(digest) || former.is_some_and(|former| former.is(digest))
    }
}
