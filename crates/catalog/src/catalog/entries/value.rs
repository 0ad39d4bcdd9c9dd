//! Entries as they are stored.

use std::{fmt, str::FromStr, sync::Arc};

use tollgate_core::{LimitSet, Timestamp};
use tollgate_rules::{ApiKey, Block, KeyDigest, Quota};

use super::Lineage;
use crate::{CatalogError, OverrideSeq};

/// What an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EntryKind {
    /// An API key; ids are `k1`, `k2`, …
    ApiKey,
    /// What one user may do; the id is the user.
    Quota,
    /// Somebody who is denied before any rule is looked at; ids are `b1`, `b2`, …
    Block,
    /// A token for the admin side; ids are `t1`, `t2`, …
    Token,
}

impl EntryKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::ApiKey, Self::Quota, Self::Block, Self::Token];

    /// As it is stored and shown.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ApiKey => "api_key",
            Self::Quota => "quota",
            Self::Block => "block",
            Self::Token => "token",
        }
    }
}

impl fmt::Display for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for EntryKind {
    type Err = CatalogError;

    fn from_str(text: &str) -> Result<Self, CatalogError> {
        let found = Self::ALL.into_iter().find(|kind| kind.word() == text);
        found.ok_or_else(|| CatalogError::Corrupt("an entry of an unknown kind".to_owned()))
    }
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EntryBody {
    /// An API key.
    ApiKey(KeyBody),
    /// What one user may do.
    Quota(QuotaBody),
    /// Somebody who is blocked.
    Block(BlockBody),
    /// A token for the admin side.
    Token(TokenBody),
}

impl EntryBody {
    /// What it is about.
    pub const fn kind(&self) -> EntryKind {
        match self {
            Self::ApiKey(_) => EntryKind::ApiKey,
            Self::Quota(_) => EntryKind::Quota,
            Self::Block(_) => EntryKind::Block,
            Self::Token(_) => EntryKind::Token,
        }
    }
}

/// An API key, without the key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyBody {
    /// What people call it.
    pub name: Arc<str>,
    /// How the key begins, so that its holder recognises it.
    pub hint: Arc<str>,
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

impl KeyBody {
    /// As decisions know it.
    pub fn key(&self, id: &Arc<str>) -> ApiKey {
        let mut key = ApiKey::new(Arc::clone(id), self.digest);
        key.former = self.former;
        key.user.clone_from(&self.user);
        key.org.clone_from(&self.org);
        key.tier.clone_from(&self.tier);
        key.limits.clone_from(&self.limits);
        key.expires_at = self.expires_at;
        key.revoked_at = self.revoked_at;
        key
    }
}

/// What one user may do.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotaBody {
    /// As decisions know it.
    pub quota: Quota,
}

/// Somebody who is blocked.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockBody {
    /// As decisions know it.
    pub block: Block,
}

/// A token for the admin side, without the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenBody {
    /// Who holds it: the actor in the audit.
    pub name: Arc<str>,
    /// How the token begins.
    pub hint: Arc<str>,
    /// What the token hashes to.
    pub digest: KeyDigest,
    /// The word of its role.
    pub role: Arc<str>,
    /// The words of what it may do, if that is less than its role may.
    pub scopes: Option<Vec<Arc<str>>>,
    /// The line of what issued it; none if it was written before that went on record.
    pub issuers: Option<Lineage>,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// An entry as it is stored.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoredEntry {
    /// Which one of its kind.
    pub id: Arc<str>,
    /// What it says.
    pub body: EntryBody,
    /// The write that made it what it is, its removal included.
    pub seq: OverrideSeq,
    /// When it was made, and by whom.
    pub created: (Timestamp, Arc<str>),
    /// When it was changed last, and by whom; its removal is a change.
    pub changed: (Timestamp, Arc<str>),
    /// Whether it was taken away.
    pub is_gone: bool,
}

impl StoredEntry {
    /// What stands for a key or a token that this release cannot read: it is gone. None for what only ever bounds.
    pub(crate) fn shut(kind: EntryKind, id: Arc<str>, seq: OverrideSeq) -> Option<Self> {
        let (nothing, digest) = (Arc::<str>::from(""), KeyDigest::new([0; 32]));
        let body = match kind {
            EntryKind::ApiKey => EntryBody::ApiKey(KeyBody {
                name: Arc::clone(&nothing),
                hint: Arc::clone(&nothing),
                digest,
                former: None,
                user: None,
                org: None,
                tier: None,
                limits: None,
                expires_at: None,
                revoked_at: Some(Timestamp::EPOCH),
            }),
            EntryKind::Token => EntryBody::Token(TokenBody {
                name: Arc::clone(&nothing),
                hint: Arc::clone(&nothing),
                digest,
                role: Arc::clone(&nothing),
                scopes: Some(Vec::new()),
                issuers: None,
                expires_at: None,
                revoked_at: Some(Timestamp::EPOCH),
            }),
            EntryKind::Quota | EntryKind::Block => return None,
        };
        let never = (Timestamp::EPOCH, nothing);
        Some(Self { id, body, seq, created: never.clone(), changed: never, is_gone: true })
    }
}

/// Where an entry is put.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryAt {
    /// Under a new id.
    New,
    /// In the place of one that is there, as the editor saw it if it says how; otherwise it is refused.
    Id {
        /// Which.
        id: Arc<str>,
        /// The write that the editor saw, if it must still be the last.
        seen: Option<OverrideSeq>,
    },
    /// Under this id, whether there is one or not.
    Either(Arc<str>),
}

/// What a write to an entry did.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EntryWritten {
    /// The number of the write; nodes that know it have confirmed. Equal content writes nothing, and this is the number
    /// of the last write.
    pub seq: OverrideSeq,
    /// What is there now.
    pub entry: StoredEntry,
}
