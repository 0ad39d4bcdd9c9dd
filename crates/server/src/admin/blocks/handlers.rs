//! Blocking, and ending that.

use std::{net::IpAddr, sync::Arc};

use ipnet::IpNet;
use serde_json::{Value, json};
use tollgate_catalog::{
    BlockBody, EntryAt, EntryBody, EntryKind, EntryListing, Goal, OverrideSeq, StoredEntry,
};
use tollgate_core::Timestamp;
use tollgate_rules::{Block, Field, normalise::address};

use super::super::{
    call::Call,
    entries,
    form::{Form, Said},
    problem::Problem,
    reply::Reply,
    route::Outcome,
    trouble, when,
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
    for (name, field) in SUBJECTS {
        if let Said::This(value) = form.identifier(name) {
            given.push((name, field, value));
        }
    }
    let (name, field, value) = match given.as_slice() {
        [one] => one.clone(),
        [] => {
            form.missing("user_id", "give one of user_id, org_id, api_key (its id) and ip");
            return Ok(Block::new(Field::User, "".into()));
        }
        [_, (second, ..), ..] => {
            form.wrong(second, "give one of user_id, org_id, api_key (its id) and ip, not several");
            return Ok(Block::new(Field::User, "".into()));
        }
    };
    let value = match field {
        Field::Ip => network(&value).unwrap_or_else(|why| {
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
    let before = about(call, &block.field, &block.value).await?;
    if call.is_dry() {
        let body = json!({
            "dry_run": true,
            name(&block.field): &*block.value,
            "changed": !before.iter().any(|entry| self::block(entry) == Some(&block)),
        });
        return Ok(Reply::json(&body));
    }
    let at = match before.last() {
        Some(entry) => EntryAt::Id { id: Arc::clone(&entry.id), seen: None },
        None => EntryAt::New,
    };
    let is_new = before.is_empty();
    let written = entries::put(call, at, EntryBody::Block(BlockBody { block })).await?;
    let nodes = call.confirmed_at_once(Goal::Overrides(written.seq)).await;
    let body = entries::with(shown(&written.entry, call.now()), "nodes", nodes);
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
    let all = about(call, &Field::User, user).await?;
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
        let removed = call.state.catalog.remove_entry(EntryKind::Block, &entry.id, &author).await;
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

/// So many blocks are looked through for one of the same person.
const LOOK_MAX: u32 = 10_000;

pub(super) async fn list(call: Call) -> Outcome {
    let now = call.now();
    let ip = call.params.text("ip").map(network);
    let ip = ip.transpose().map_err(|why| Problem::bad(format!("ip {why}")))?;
    let (key, is_active) = (call.params.text("api_key"), call.params.truth("active"));
    let keeps = |entry: &StoredEntry| {
        let Some(block) = block(entry) else {
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
    let blocks: Vec<Value> = found.entries.iter().map(|entry| shown(entry, now)).collect();
    Ok(Reply::json(&json!({ "blocks": blocks, "next_cursor": found.next_cursor, "seq": seq })))
}

pub(super) async fn read(call: Call) -> Outcome {
    let entry = entries::known(&call, EntryKind::Block, call.in_path("id")).await?;
    Ok(Reply::json(&shown(&entry, call.now())).sequence(entry.seq))
}

/// A block as a client reads it.
pub(super) fn shown(entry: &StoredEntry, now: Timestamp) -> Value {
    let Some(block) = block(entry) else {
        return entries::stamped(json!({}), entry);
    };
    let json = json!({
        name(&block.field): &*block.value,
        "reason": block.reason.as_deref(),
        "until": block.until.map(when::shown),
        "in_force": is_in_force(entry, now),
    });
    entries::stamped(json, entry)
}

fn is_in_force(entry: &StoredEntry, now: Timestamp) -> bool {
    let block = block(entry);
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
        let block = block(entry);
        block.is_some_and(|block| block.field == *field && *block.value == *value)
    };
    Ok(all.into_iter().filter(is_same).collect())
}

/// What a block can be about, by the name of its member.
pub(super) const SUBJECTS: [(&str, Field); 4] = [
    ("user_id", Field::User),
    ("org_id", Field::Org),
    ("api_key", Field::ApiKey),
    ("ip", Field::Ip),
];

/// The member that names this fact.
pub(super) fn name(field: &Field) -> &'static str {
    let mut known = SUBJECTS.iter();
    known.find(|(_, known)| known == field).map_or("", |(name, _)| *name)
}

/// The block of an entry.
pub(super) const fn block(entry: &StoredEntry) -> Option<&Block> {
    match &entry.body {
        EntryBody::Block(body) => Some(&body.block),
        _ => None,
    }
}

/// The widest network of IPv4 that is blocked: two halves of all addresses would be everybody.
const IPV4_PREFIX_MIN: u8 = 8;
/// The widest network of IPv6 that is blocked.
const IPV6_PREFIX_MIN: u8 = 16;

/// An address or a network in the form in which it is stored: the network's first address, IPv4 as such.
pub(super) fn network(text: &str) -> Result<Arc<str>, &'static str> {
    const WRONG: &str =
        "must be an address or a network, for example 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48";
    let text = text.trim();
    if let Ok(address) = address(text) {
        return Ok(address.to_string().into());
    }
    let network: IpNet = text.parse().map_err(|_| WRONG)?;
    let network = folded(network.trunc());
    let least = match network {
        IpNet::V4(_) => IPV4_PREFIX_MIN,
        IpNet::V6(_) => IPV6_PREFIX_MIN,
    };
    match network.prefix_len() {
        prefix if prefix < least => {
            Err("is wider than a block may be: the widest are a /8 of IPv4 and a /16 of IPv6")
        }
        full if full == network.max_prefix_len() => Ok(network.addr().to_string().into()),
        _ => Ok(network.to_string().into()),
    }
}

/// IPv4 that is written as IPv6 is IPv4.
fn folded(network: IpNet) -> IpNet {
    const MAPPED: u8 = 96;
    let IpAddr::V6(address) = network.addr() else {
        return network;
    };
    let prefix = network.prefix_len().checked_sub(MAPPED);
    let mapped = address.to_ipv4_mapped().zip(prefix);
    let folded = mapped.and_then(|(address, prefix)| IpNet::new(address.into(), prefix).ok());
    folded.unwrap_or(network)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_has_one_form() {
        for (text, form) in [
            ("203.0.113.7", "203.0.113.7"),
            ("10.1.2.3/8", "10.0.0.0/8"),
            ("2001::/16", "2001::/16"),
            ("203.0.113.7/32", "203.0.113.7"),
            ("203.0.113.7/24", "203.0.113.0/24"),
            ("::ffff:203.0.113.7", "203.0.113.7"),
            ("::ffff:203.0.113.0/120", "203.0.113.0/24"),
            ("2001:DB8::1", "2001:db8::1"),
            ("2001:db8::1/48", "2001:db8::/48"),
        ] {
            assert_eq!(network(text).as_deref(), Ok(form), "{text}");
        }
        for wrong in [
            "",
            "somewhere",
            "203.0.113.7/33",
            "203.0.113/24",
            "0.0.0.0/0",
            "0.0.0.0/1",
            "128.0.0.0/1",
            "10.0.0.0/7",
            "::/0",
            "2000::/3",
            "::ffff:0.0.0.0/97",
        ] {
            assert!(network(wrong).is_err(), "{wrong:?}");
        }
    }
}
