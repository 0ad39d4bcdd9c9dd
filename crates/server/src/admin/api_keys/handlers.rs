//! Issuing, changing, rotating and revoking API keys.

use std::{sync::Arc, time::Duration};

use axum::http::StatusCode;
use serde_json::{Value, json};
use tollgate_catalog::{
    EntryAt, EntryBody, EntryKind, EntryWritten, Goal, KeyBody, StoredEntry, UsageKind,
};
use tollgate_core::{Micros, Timestamp};

use super::super::{
    call::Call,
    entries, etag,
    form::{Form, Said},
    own_limits,
    problem::Problem,
    reply::Reply,
    route::Outcome,
    tier, usage, when,
};
use crate::identity::secret::{Kind, Secret};

/// The longest name.
const NAME_CHARS_MAX: usize = 128;
/// The longest that a key is still accepted after it was rotated.
const GRACE_MAX: Duration = Duration::from_secs(90 * 86_400);

/// What a body says of a key.
struct Wanted {
    name: Said<Arc<str>>,
    user: Said<Arc<str>>,
    org: Said<Arc<str>>,
    tier: Said<Arc<str>>,
    limits: Said<tollgate_core::LimitSet>,
    expires_at: Said<Timestamp>,
}

impl Wanted {
    async fn read(call: &Call, form: &mut Form) -> Result<Self, Problem> {
        Ok(Self {
            name: form.text("name", NAME_CHARS_MAX),
            user: form.identifier("user_id"),
            org: form.identifier("org_id"),
            tier: tier::declared(call, form).await?,
            limits: own_limits::read(call, form),
            expires_at: form.end("expires_at", call.now()),
        })
    }
}

pub(super) async fn create(call: Call) -> Outcome {
    let mut form = Form::read(&call)?;
    let wanted = Wanted::read(&call, &mut form).await?;
    let name = form.needed("name", wanted.name);
    form.done()?;
    let secret = Secret::generate(Kind::ApiKey);
    let body = KeyBody {
        name: name.unwrap_or_default(),
        hint: secret.hint().into(),
        digest: call.state.hasher.digest(secret.as_str()),
        former: None,
        user: wanted.user.fresh(),
        org: wanted.org.fresh(),
        tier: wanted.tier.fresh(),
        limits: wanted.limits.fresh(),
        expires_at: wanted.expires_at.fresh(),
        revoked_at: None,
    };
    if call.is_dry() {
        return Ok(Reply::json(&json!({ "dry_run": true, "name": &*body.name })));
    }
    let written = entries::put(&call, EntryAt::New, EntryBody::ApiKey(body)).await?;
    let location = format!("/ratelimit/api-keys/{}", written.entry.id);
    let shown = entries::with(told(&call, &written).await, "key", json!(secret.as_str()));
    Ok(secretly(&shown).created(location).sequence(written.seq))
}

pub(super) async fn change(call: Call) -> Outcome {
    let (entry, before) = stored(&call).await?;
    etag::seen(&call.headers, &format!("API key {}", entry.id), entry.seq)?;
    let mut form = Form::read(&call)?;
    let wanted = Wanted::read(&call, &mut form).await?;
    if wanted.name == Said::None {
        form.wrong("name", "is needed: leave it out to keep it");
    }
    form.done()?;
    let body = KeyBody {
        name: wanted.name.or(Some(before.name)).unwrap_or_default(),
        user: wanted.user.or(before.user),
        org: wanted.org.or(before.org),
        tier: wanted.tier.or(before.tier),
        limits: wanted.limits.or(before.limits),
        expires_at: wanted.expires_at.or(before.expires_at),
        ..before
    };
    let written = put(&call, &entry, body).await?;
    Ok(Reply::json(&told(&call, &written).await).sequence(written.seq))
}

pub(super) async fn rotate(call: Call) -> Outcome {
    let (entry, before) = stored(&call).await?;
    etag::seen(&call.headers, &format!("API key {}", entry.id), entry.seq)?;
    let grace = call.params.long_span("grace").unwrap_or_default();
    if grace > GRACE_MAX {
        return Err(Problem::bad("parameter grace: must be at most 90day"));
    }
    if before.revoked_at.is_some() {
        let detail = format!("API key {} was revoked: create another", entry.id);
        return Err(Problem::new(StatusCode::CONFLICT, "revoked", detail));
    }
    let secret = Secret::generate(Kind::ApiKey);
    let until = call.now().saturating_add(Micros::from(grace));
    let body = KeyBody {
        hint: secret.hint().into(),
        digest: call.state.hasher.digest(secret.as_str()),
        former: (!grace.is_zero()).then_some((before.digest, until)),
        ..before
    };
    let written = put(&call, &entry, body).await?;
    let shown = entries::with(surely_told(&call, &written).await, "key", json!(secret.as_str()));
    Ok(secretly(&shown).sequence(written.seq))
}

/// Revokes it, with effect on every node: waits until all of them know, unless told otherwise.
pub(super) async fn revoke(call: Call) -> Outcome {
    let (entry, before) = stored(&call).await?;
    etag::seen(&call.headers, &format!("API key {}", entry.id), entry.seq)?;
    if before.revoked_at.is_some() {
        let shown = entries::with(of(&entry, call.now()), "changed", json!(false));
        let nodes = call.confirmed_at_once(Goal::Overrides(entry.seq)).await;
        return Ok(Reply::json(&entries::with(shown, "nodes", nodes)).sequence(entry.seq));
    }
    let body = KeyBody { former: None, revoked_at: Some(call.now()), ..before };
    let written = put(&call, &entry, body).await?;
    let shown = entries::with(surely_told(&call, &written).await, "changed", json!(true));
    Ok(Reply::json(&shown).sequence(written.seq))
}

/// The key that the path names, and what is stored of it.
async fn stored(call: &Call) -> Result<(StoredEntry, KeyBody), Problem> {
    let id = call.in_path("id");
    let entry = entries::known(call, EntryKind::ApiKey, id).await?;
    let body = body(&entry).cloned();
    let body = body.ok_or_else(|| entries::unknown(EntryKind::ApiKey, id))?;
    Ok((entry, body))
}

/// Writes it in the place of what was read, if that is still there.
async fn put(call: &Call, entry: &StoredEntry, body: KeyBody) -> Result<EntryWritten, Problem> {
    let at = EntryAt::Id { id: Arc::clone(&entry.id), seen: Some(entry.seq) };
    entries::put(call, at, EntryBody::ApiKey(body)).await
}

async fn told(call: &Call, written: &EntryWritten) -> Value {
    let nodes = call.confirmed(Goal::Overrides(written.seq)).await;
    entries::with(of(&written.entry, call.now()), "nodes", nodes)
}

async fn surely_told(call: &Call, written: &EntryWritten) -> Value {
    let nodes = call.confirmed_at_once(Goal::Overrides(written.seq)).await;
    entries::with(of(&written.entry, call.now()), "nodes", nodes)
}

/// An answer that nobody keeps.
fn secretly(body: &Value) -> Reply {
    Reply::json(body).unkept()
}

pub(super) async fn list(call: Call) -> Outcome {
    let now = call.now();
    let wanted = call.params.text("state");
    let keeps = |entry: &_| {
        let state = body(entry).map(|body| state(body, now));
        wanted.is_none_or(|wanted| state == Some(wanted))
    };
    let found = entries::page(&call, EntryKind::ApiKey, keeps).await?;
    let keys: Vec<Value> = found.entries.iter().map(|entry| of(entry, now)).collect();
    let seq = found.entries.iter().map(|entry| entry.seq.get()).max();
    Ok(Reply::json(&json!({ "api_keys": keys, "next_cursor": found.next_cursor, "seq": seq })))
}

pub(super) async fn read(call: Call) -> Outcome {
    let entry = entries::known(&call, EntryKind::ApiKey, call.in_path("id")).await?;
    let used = usage::of(&call, UsageKind::ApiKey, Arc::clone(&entry.id)).await?;
    let body = entries::with(of(&entry, call.now()), "usage", used);
    Ok(Reply::json(&body).sequence(entry.seq))
}

/// What an API key says.
pub(super) fn of(entry: &StoredEntry, now: Timestamp) -> Value {
    match body(entry) {
        Some(body) => entries::stamped(shown(body, now), entry),
        None => entries::stamped(json!({}), entry),
    }
}

/// What is stored of it.
pub(super) const fn body(entry: &StoredEntry) -> Option<&KeyBody> {
    match &entry.body {
        EntryBody::ApiKey(body) => Some(body),
        _ => None,
    }
}

fn shown(body: &KeyBody, now: Timestamp) -> Value {
    let (limits, burst) = own_limits::shown(body.limits.as_ref());
    let former = body.former.map(|(_, until)| until);
    let former = former.filter(|until| *until > now);
    json!({
        "name": &*body.name,
        "begins": &*body.hint,
        "user_id": body.user.as_deref(),
        "org_id": body.org.as_deref(),
        "tier": body.tier.as_deref(),
        "limits": limits,
        "burst": burst,
        "expires_at": body.expires_at.map(when::shown),
        "revoked_at": body.revoked_at.map(when::shown),
        "former_until": former.map(when::shown),
        "state": state(body, now),
    })
}

/// Whether it opens anything.
pub(super) fn state(body: &KeyBody, now: Timestamp) -> &'static str {
    if body.revoked_at.is_some() {
        "revoked"
    } else if body.expires_at.is_some_and(|end| end <= now) {
        "expired"
    } else {
        "active"
    }
}
