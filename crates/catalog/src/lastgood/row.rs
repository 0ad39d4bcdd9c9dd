//! What the pieces of a copy hold, as JSON.

use std::io;

use serde::{Deserialize, Serialize};

/// The first piece of a copy of the rules.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RevisionRow {
    pub(super) number: u64,
    pub(super) hash: String,
    pub(super) items: u64,
}

/// One piece for each item.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ItemRow {
    pub(super) kind: String,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) position: i64,
    pub(super) body: String,
    pub(super) version: u64,
    pub(super) created_in: u64,
    pub(super) created: MarkRow,
    pub(super) updated: MarkRow,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct MarkRow {
    pub(super) at: u64,
    pub(super) by: String,
}

/// One piece for each page of overrides, or of API keys, quotas, blocks and tokens. A write is whole when its mark is
/// there.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PageRow {
    pub(super) entries: Vec<OverrideRow>,
    /// None on a page of overrides, and on every page that a release wrote which knows of nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) identities: Option<Vec<EntryRow>>,
    pub(super) reached: Option<ReachedRow>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EntryRow {
    pub(super) kind: String,
    pub(super) id: String,
    pub(super) seq: u64,
    pub(super) body: String,
    pub(super) created: MarkRow,
    pub(super) changed: MarkRow,
    pub(super) gone: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ReachedRow {
    pub(super) seq: u64,
    pub(super) mark: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OverrideRow {
    pub(super) id: u64,
    pub(super) seq: u64,
    pub(super) rule_id: Option<String>,
    pub(super) body: String,
    pub(super) author: String,
    pub(super) created_at: u64,
    pub(super) removed: Option<MarkRow>,
}

pub(super) fn to_bytes(row: &impl Serialize) -> io::Result<Vec<u8>> {
    serde_json::to_vec(row).map_err(io::Error::other)
}

pub(super) fn from_bytes<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}
