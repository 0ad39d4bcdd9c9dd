//! Reading blocks.

use serde_json::{Value, json};
use tollgate_catalog::{EntryKind, EntryListing, StoredEntry};
use tollgate_core::Timestamp;
use tollgate_rules::Field;

use super::{
    super::{call::Call, entries, problem::Problem, reply::Reply, route::Outcome, when},
    convert,
};

/// So many blocks are looked through for one of the same person.
const LOOK_MAX: u32 = 10_000;

pub(super) async fn list(call: Call) -> Outcome {
    let now = call.now();
    let ip = call.params.text("ip").map(convert::network);
    let ip = ip
        .transpose()
        .map_err(|why| Problem::bad(format!("ip {why}")))?;
    let (key, is_active) = (call.params.text("api_key"), call.params.truth("active"));
    let keeps = |entry: &StoredEntry| {
        let Some(block) = convert::block(entry) else {
            return false;
        };
        let is = |field: Field, wanted: Option<&str>| {
            wanted.is_none_or(|wanted| block.field == field && *block.value == *wanted)
        };
        is(Field::Ip, ip.as_deref())
            && is(Field::ApiKey, key)
            && is_active.is_none_or(|active| is_in_force(entry, now) == active)
    };
    let found = entries::page(&call, EntryKind::Block, keeps).await?;
    let seq = found.entries.iter().map(|entry| entry.seq.get()).max();
    let blocks: Vec<Value> = found
        .entries
        .iter()
        .map(|entry| shown(entry, now))
        .collect();
    Ok(Reply::json(
        &json!({ "blocks": blocks, "next_cursor": found.next_cursor, "seq": seq }),
    ))
}

pub(super) async fn read(call: Call) -> Outcome {
    let entry = entries::known(&call, EntryKind::Block, call.in_path("id")).await?;
    Ok(Reply::json(&shown(&entry, call.now())).sequence(entry.seq))
}

/// A block as a client reads it.
pub(super) fn shown(entry: &StoredEntry, now: Timestamp) -> Value {
    let Some(block) = convert::block(entry) else {
        return entries::stamped(json!({}), entry);
    };
    let json = json!({
        convert::name(&block.field): &*block.value,
        "reason": block.reason.as_deref(),
        "until": block.until.map(when::shown),
        "in_force": is_in_force(entry, now),
    });
    entries::stamped(json, entry)
}

fn is_in_force(entry: &StoredEntry, now: Timestamp) -> bool {
    let block = convert::block(entry);
    block.is_some_and(|block| block.until.is_none_or(|until| now < until))
}

/// The block of a user that is in force.
pub(in super::super) async fn of_user(call: &Call, user: &str) -> Result<Option<Value>, Problem> {
    let now = call.now();
    let all = about(call, &Field::User, user).await?;
    let mut in_force = all.iter().filter(|entry| is_in_force(entry, now));
    Ok(in_force.next().map(|entry| shown(entry, now)))
}

/// Every block of the same.
pub(super) async fn about(
    call: &Call,
    field: &Field,
    value: &str,
) -> Result<Vec<StoredEntry>, Problem> {
    let only = |wanted: &Field| (field == wanted).then(|| value.into());
    let listing = EntryListing {
        kind: EntryKind::Block,
        user: only(&Field::User),
        org: only(&Field::Org),
        after: None,
        count: LOOK_MAX,
    };
    let all = call.reading(call.state.catalog.entries(&listing)).await?;
    let is_same = |entry: &StoredEntry| {
        let block = convert::block(entry);
        block.is_some_and(|block| block.field == *field && *block.value == *value)
    };
    Ok(all.into_iter().filter(is_same).collect())
}
