//! Blocking, and ending that.

use std::sync::Arc;

use serde_json::{Value, json};
use tollgate_catalog::{BlockBody, EntryAt, EntryBody, EntryKind, Goal, OverrideSeq, StoredEntry};
use tollgate_rules::{Block, Field};

use super::{
    super::{
        call::Call,
        entries,
        form::{Form, Said},
        problem::Problem,
        reply::Reply,
        route::Outcome,
        trouble,
    },
    convert, list,
};

/// The longest reason.
const REASON_CHARS_MAX: usize = 1_000;

pub(super) async fn create(call: Call) -> Outcome {
    let mut form = Form::read(&call)?;
    let subject = subject(&call, &mut form).await?;
    let block = described(&call, &mut form, subject);
    form.done()?;
    put(&call, block).await
}

/// Whom it is about: exactly one of them.
async fn subject(call: &Call, form: &mut Form) -> Result<Block, Problem> {
    let mut given: Vec<(&str, Field, Arc<str>)> = Vec::new();
    for (name, field) in convert::SUBJECTS {
        if let Said::This(value) = form.identifier(name) {
            given.push((name, field, value));
        }
    }
    let (name, field, value) = match given.as_slice() {
        [one] => one.clone(),
        [] => {
            form.missing(
                "user_id",
                "give one of user_id, org_id, api_key (its id) and ip",
            );
            return Ok(Block::new(Field::User, "".into()));
        }
        [_, (second, ..), ..] => {
            form.wrong(
                second,
                "give one of user_id, org_id, api_key (its id) and ip, not several",
            );
            return Ok(Block::new(Field::User, "".into()));
        }
    };
    let value = match field {
        Field::Ip => convert::network(&value).unwrap_or_else(|why| {
            form.wrong(name, why);
            value
        }),
        Field::ApiKey => {
            let known = call.state.catalog.entry(EntryKind::ApiKey, &value);
            if call.reading(known).await?.is_none() {
                form.wrong(
                    name,
                    "is not the id of an API key, such as k17: list them to see which there are",
                );
            }
            value
        }
        _ => value,
    };
    Ok(Block::new(field, value))
}

/// With its reason and its end.
pub(in super::super) fn described(call: &Call, form: &mut Form, mut block: Block) -> Block {
    block.reason = form.text("reason", REASON_CHARS_MAX).fresh();
    block.until = form.end("until", call.now()).fresh();
    block
}

/// Blocks somebody. Whoever is blocked already is blocked in this way from now on.
pub(in super::super) async fn put(call: &Call, block: Block) -> Outcome {
    let before = list::about(call, &block.field, &block.value).await?;
    if call.is_dry() {
        let body = json!({
            "dry_run": true,
            convert::name(&block.field): &*block.value,
            "changed": !before.iter().any(|entry| convert::block(entry) == Some(&block)),
        });
        return Ok(Reply::json(&body));
    }
    let at = match before.last() {
        Some(entry) => EntryAt::Id {
            id: Arc::clone(&entry.id),
            seen: None,
        },
        None => EntryAt::New,
    };
    let is_new = before.is_empty();
    let written = entries::put(call, at, EntryBody::Block(BlockBody { block })).await?;
    let nodes = call.confirmed_at_once(Goal::Overrides(written.seq)).await;
    let body = entries::with(list::shown(&written.entry, call.now()), "nodes", nodes);
    let reply = Reply::json(&body).sequence(written.seq);
    Ok(match is_new {
        true => reply.created(format!("/ratelimit/blocks/{}", written.entry.id)),
        false => reply,
    })
}

pub(super) async fn remove(call: Call) -> Outcome {
    let entry = entries::known(&call, EntryKind::Block, call.in_path("id")).await?;
    ended(&call, &[entry]).await
}

/// Ends every block of a user.
pub(in super::super) async fn remove_of_user(call: &Call, user: &str) -> Outcome {
    let all = list::about(call, &Field::User, user).await?;
    if all.is_empty() {
        return Err(Problem::not_found(format!("user {user:?} is not blocked")));
    }
    ended(call, &all).await
}

async fn ended(call: &Call, all: &[StoredEntry]) -> Outcome {
    let ids: Vec<Value> = all.iter().map(|entry| json!(&*entry.id)).collect();
    let first = ids.first().cloned();
    if call.is_dry() {
        return Ok(Reply::json(
            &json!({ "dry_run": true, "id": first, "ids": ids, "changed": true }),
        ));
    }
    let (author, mut last): (_, Option<OverrideSeq>) = (call.author(), None);
    for entry in all {
        let removed = call
            .state
            .catalog
            .remove_entry(EntryKind::Block, &entry.id, &author)
            .await;
        let removed = removed.map_err(|error| trouble::problem(&error))?;
        last = removed.map(|removed| removed.seq).or(last);
    }
    let nodes = match last {
        Some(seq) => call.confirmed_at_once(Goal::Overrides(seq)).await,
        None => Value::Null,
    };
    let body = json!({
        "id": first,
        "ids": ids,
        "changed": last.is_some(),
        "seq": last.map(OverrideSeq::get),
        "nodes": nodes,
    });
    Ok(Reply::json(&body))
}
