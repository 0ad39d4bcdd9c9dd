//! What is stored of an entry, as JSON.
//!
//! A word that this release does not know makes an entry unreadable: it may say that less is allowed.

use std::sync::Arc;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use tollgate_core::{LimitSet, Timestamp};
use tollgate_rules::{
    Block, Field, KeyDigest, Quota,
    document::{limits_json, read_limits},
};

use super::{BlockBody, EntryBody, EntryKind, KeyBody, Lineage, QuotaBody, TokenBody};

/// What an entry says, as it is stored.
pub(crate) fn to_text(body: &EntryBody) -> Result<String, String> {
    let text = match body {
        EntryBody::ApiKey(key) => serde_json::to_string(&KeyRow::of(key)),
        EntryBody::Quota(quota) => serde_json::to_string(&QuotaRow::of(&quota.quota)),
        EntryBody::Block(block) => serde_json::to_string(&BlockRow::of(&block.block)),
        EntryBody::Token(token) => serde_json::to_string(&TokenRow::of(token)),
    };
    text.map_err(|error| error.to_string())
}

/// What an entry says, or why that cannot be understood.
pub(crate) fn from_text(kind: EntryKind, text: &str) -> Result<EntryBody, String> {
    Ok(match kind {
        EntryKind::ApiKey => EntryBody::ApiKey(read::<KeyRow>(text)?.body()?),
        EntryKind::Quota => EntryBody::Quota(read::<QuotaRow>(text)?.body()?),
        EntryKind::Block => EntryBody::Block(read::<BlockRow>(text)?.body()?),
        EntryKind::Token => EntryBody::Token(read::<TokenRow>(text)?.body()?),
    })
}

/// A stored text without what secrets hash to: for the audit.
pub(super) fn redacted(text: &str) -> Option<String> {
    let mut value: Value = serde_json::from_str(text).ok()?;
    let fields = value.as_object_mut()?;
    fields.remove("digest");
    if let Some(former) = fields.get_mut("former").and_then(Value::as_object_mut) {
        former.remove("digest");
    }
    Some(value.to_string())
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyRow {
    name: String,
    hint: String,
    digest: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    former: Option<FormerRow>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    org: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tier: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limits: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revoked_at: Option<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FormerRow {
    digest: String,
    until: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct QuotaRow {
    user: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tier: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limits: Option<Value>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockRow {
    field: String,
    value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenRow {
    name: String,
    hint: String,
    digest: String,
    role: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scopes: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    issuers: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revoked_at: Option<u64>,
}

impl KeyRow {
    fn of(key: &KeyBody) -> Self {
        Self {
            name: key.name.to_string(),
            hint: key.hint.to_string(),
            digest: hex(&key.digest),
            former: key.former.map(|(digest, until)| FormerRow {
                digest: hex(&digest),
                until: until.as_micros(),
            }),
            user: text(key.user.as_ref()),
            org: text(key.org.as_ref()),
            tier: text(key.tier.as_ref()),
            limits: key.limits.as_ref().map(limits_json),
            expires_at: key.expires_at.map(Timestamp::as_micros),
            revoked_at: key.revoked_at.map(Timestamp::as_micros),
        }
    }

    fn body(self) -> Result<KeyBody, String> {
        let former = |row: FormerRow| Ok::<_, String>((digest(&row.digest)?, moment(row.until)));
        Ok(KeyBody {
            name: self.name.into(),
            hint: self.hint.into(),
            digest: digest(&self.digest)?,
            former: self.former.map(former).transpose()?,
            user: self.user.map(Arc::from),
            org: self.org.map(Arc::from),
            tier: self.tier.map(Arc::from),
            limits: limits(self.limits)?,
            expires_at: self.expires_at.map(moment),
            revoked_at: self.revoked_at.map(moment),
        })
    }
}

impl QuotaRow {
    fn of(quota: &Quota) -> Self {
        Self {
            user: quota.user.to_string(),
            tier: text(quota.tier.as_ref()),
            limits: quota.limits.as_ref().map(limits_json),
        }
    }

    fn body(self) -> Result<QuotaBody, String> {
        let mut quota = Quota::new(self.user.into());
        quota.tier = self.tier.map(Arc::from);
        quota.limits = limits(self.limits)?;
        Ok(QuotaBody { quota })
    }
}

impl BlockRow {
    fn of(block: &Block) -> Self {
        Self {
            field: block.field.to_string(),
            value: block.value.to_string(),
            until: block.until.map(Timestamp::as_micros),
            reason: text(block.reason.as_ref()),
        }
    }

    fn body(self) -> Result<BlockBody, String> {
        let field: Field =
            self.field.parse().map_err(|_| "a block by a fact that this release does not know")?;
        let mut block = Block::new(field, self.value.into());
        block.until = self.until.map(moment);
        block.reason = self.reason.map(Arc::from);
        Ok(BlockBody { block })
    }
}

impl TokenRow {
    fn of(token: &TokenBody) -> Self {
        let scopes = token.scopes.as_ref();
        Self {
            name: token.name.to_string(),
            hint: token.hint.to_string(),
            digest: hex(&token.digest),
            role: token.role.to_string(),
            scopes: scopes.map(|scopes| scopes.iter().map(ToString::to_string).collect()),
            issuers: token.issuers.as_ref().map(Lineage::words),
            expires_at: token.expires_at.map(Timestamp::as_micros),
            revoked_at: token.revoked_at.map(Timestamp::as_micros),
        }
    }

    fn body(self) -> Result<TokenBody, String> {
        let scopes = self.scopes;
        let issuers = self.issuers.map(|words| Lineage::read(&words));
        Ok(TokenBody {
            name: self.name.into(),
            hint: self.hint.into(),
            digest: digest(&self.digest)?,
            role: self.role.into(),
            scopes: scopes.map(|scopes| scopes.into_iter().map(Arc::from).collect()),
            issuers: issuers.transpose().map_err(|error| error.to_string())?,
            expires_at: self.expires_at.map(moment),
            revoked_at: self.revoked_at.map(moment),
        })
    }
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn text(text: Option<&Arc<str>>) -> Option<String> {
    text.map(ToString::to_string)
}

const fn moment(micros: u64) -> Timestamp {
    Timestamp::from_micros(micros)
}

fn limits(value: Option<Value>) -> Result<Option<LimitSet>, String> {
    let limits = value.map(|value| read_limits(&value.to_string())).transpose();
    limits.map_err(|_| "limits that this release does not understand".to_owned())
}

fn hex(digest: &KeyDigest) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
    let digits = digest.as_bytes().iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(digit).collect()
}

fn digest(text: &str) -> Result<KeyDigest, String> {
    let wrong = || "a digest that is none".to_owned();
    let mut bytes = [0; 32];
    let mut digits = text.chars().map(|digit| digit.to_digit(16));
    for byte in &mut bytes {
        let (Some(Some(high)), Some(Some(low))) = (digits.next(), digits.next()) else {
            return Err(wrong());
        };
        *byte = u8::try_from(high * 16 + low).map_err(|_| wrong())?;
    }
    if digits.next().is_some() {
        return Err(wrong());
    }
    Ok(KeyDigest::new(bytes))
}
