//! What was asked for, as JSON.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Asked;

#[derive(Debug, Serialize, Deserialize)]
struct AskedRow {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: String,
}

pub(super) fn to_text(asked: &Asked) -> Result<String, String> {
    let header = |(name, value): &(Arc<str>, Arc<str>)| (name.to_string(), value.to_string());
    let row = AskedRow {
        method: asked.method.to_string(),
        target: asked.target.to_string(),
        headers: asked.headers.iter().map(header).collect(),
        body: asked.body.to_string(),
    };
    serde_json::to_string(&row).map_err(|error| error.to_string())
}

pub(super) fn from_text(text: &str) -> Result<Asked, String> {
    let row: AskedRow = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let headers = row.headers.into_iter();
    Ok(Asked {
        method: row.method.into(),
        target: row.target.into(),
        headers: headers
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        body: row.body.into(),
    })
}
