//! What was asked for, as JSON.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Asked;
use crate::catalog::Lineage;

#[derive(Debug, Serialize, Deserialize)]
struct AskedRow {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: String,
    /// Missing in what was written before it went on record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asker: Option<Vec<String>>,
}

pub(super) fn to_text(asked: &Asked) -> Result<String, String> {
    let header = |(name, value): &(Arc<str>, Arc<str>)| (name.to_string(), value.to_string());
    let row = AskedRow {
        method: asked.method.to_string(),
        target: asked.target.to_string(),
        headers: asked.headers.iter().map(header).collect(),
        body: asked.body.to_string(),
        asker: Some(asked.asker.words()),
    };
    serde_json::to_string(&row).map_err(|error| error.to_string())
}

pub(super) fn from_text(text: &str) -> Result<Asked, String> {
    let row: AskedRow = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let headers = row.headers.into_iter();
    let asker = row.asker.and_then(|words| Lineage::read(&words).ok());
    Ok(Asked {
        method: row.method.into(),
        target: row.target.into(),
        headers: headers.map(|(name, value)| (name.into(), value.into())).collect(),
        body: row.body.into(),
        asker: asker.unwrap_or_else(Lineage::unknown),
    })
}
