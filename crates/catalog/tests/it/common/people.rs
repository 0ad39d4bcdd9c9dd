//! API keys, quotas, blocks and tokens in few words.

use tollgate_catalog::{
    BlockBody, EntryBody, EntryKind, EntryListing, Issuer, KeyBody, Lineage, QuotaBody, TokenBody,
};
use tollgate_rules::{Block, Field, KeyDigest, Quota};

/// The digest of this many times the same byte; its hex digits appear nowhere else.
pub(crate) fn digest(byte: u8) -> KeyDigest {
    KeyDigest::new([byte; 32])
}

pub(crate) fn key_body(user: &str, byte: u8) -> KeyBody {
    KeyBody {
        name: format!("{user}'s laptop").into(),
        hint: "tgk_abcd".into(),
        digest: digest(byte),
        former: None,
        user: Some(user.into()),
        org: Some("acme".into()),
        tier: None,
        limits: Some("10/min".parse().map(|limit| [limit]).map(limits).unwrap()),
        expires_at: None,
        revoked_at: None,
    }
}

fn limits(limits: [tollgate_core::Limit; 1]) -> tollgate_core::LimitSet {
    tollgate_core::LimitSet::new(limits).unwrap()
}

pub(crate) fn api_key(user: &str, byte: u8) -> EntryBody {
    EntryBody::ApiKey(key_body(user, byte))
}

pub(crate) fn quota(user: &str, tier: &str) -> EntryBody {
    let mut quota = Quota::new(user.into());
    quota.tier = Some(tier.into());
    quota.limits = Some(limits(["1000/h".parse().unwrap()]));
    EntryBody::Quota(QuotaBody { quota })
}

pub(crate) fn block(user: &str) -> EntryBody {
    let mut block = Block::new(Field::User, user.into());
    block.reason = Some("abuse".into());
    EntryBody::Block(BlockBody { block })
}

pub(crate) fn token(name: &str, byte: u8) -> EntryBody {
    EntryBody::Token(TokenBody {
        name: name.into(),
        hint: "tgt_abcd".into(),
        digest: digest(byte),
        role: "operator".into(),
        scopes: Some(vec!["blocks".into()]),
        issuers: Some(Lineage::root(Issuer::Start).then(Issuer::Token("t1".into()))),
        expires_at: None,
        revoked_at: None,
    })
}

/// All of a kind.
pub(crate) fn all(kind: EntryKind) -> EntryListing {
    EntryListing { kind, user: None, org: None, after: None, count: 10_000 }
}
