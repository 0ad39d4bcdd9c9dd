//! Reading API keys.

use std::sync::Arc;

use serde_json::{Value, json};
use tollgate_catalog::{EntryKind, UsageKind};

use super::{
    super::{call::Call, entries, reply::Reply, route::Outcome, usage},
    view,
};

pub(super) async fn list(call: Call) -> Outcome {
    let now = call.now();
    let wanted = call.params.text("state");
    let keeps = |entry: &_| {
        let state = view::body(entry).map(|body| view::state(body, now));
        wanted.is_none_or(|wanted| state == Some(wanted))
    };
    let found = entries::page(&call, EntryKind::ApiKey, keeps).await?;
    let keys: Vec<Value> = found
        .entries
        .iter()
        .map(|entry| view::of(entry, now))
        .collect();
    let seq = found.entries.iter().map(|entry| entry.seq.get()).max();
    Ok(Reply::json(
        &json!({ "api_keys": keys, "next_cursor": found.next_cursor, "seq": seq }),
    ))
}

pub(super) async fn read(call: Call) -> Outcome {
    let entry = entries::known(&call, EntryKind::ApiKey, call.in_path("id")).await?;
    let used = usage::of(&call, UsageKind::ApiKey, Arc::clone(&entry.id)).await?;
    let body = entries::with(view::of(&entry, call.now()), "usage", used);
    Ok(Reply::json(&body).sequence(entry.seq))
}
