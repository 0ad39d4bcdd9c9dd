//! Issuing and revoking tokens.

use std::sync::Arc;

use axum::http::StatusCode;
use serde_json::{Value, json};
use tollgate_catalog::{
    EntryAt, EntryBody, EntryKind, EntryListing, EntryPlace, Goal, ISSUERS_MAX, Lineage,
    StoredEntry, TokenBody,
};
use tollgate_core::Timestamp;

use super::super::{
    call::Call,
    entries, etag,
    form::{Form, Said},
    problem::Problem,
    reply::Reply,
    route::Outcome,
    when,
};
use crate::{
    authority::{Actor, Permission, Role},
    identity::secret::{Kind, Secret, token_digest},
};

/// The longest name.
const NAME_CHARS_MAX: usize = 128;
/// So many tokens are looked at together for one of the same name.
const LOOK: u32 = 1_000;

pub(super) async fn create(call: Call) -> Outcome {
    let mut form = Form::read(&call)?;
    let name = form.text("name", NAME_CHARS_MAX);
    let name = form.needed("name", name);
    if name.as_deref().is_some_and(Actor::is_reserved) {
        form.wrong("name", "stands for somebody else in the audit: take another");
    }
    let role = role(&mut form);
    let scopes = scopes(&mut form, role);
    let expires_at = form.end("expires_at", call.now()).fresh();
    form.done()?;
    let name = name.unwrap_or_default();
    may_grant(&call, role, scopes.as_deref())?;
    is_free(&call, &name).await?;
    let words = |scopes: Vec<Permission>| scopes.iter().map(|scope| scope.word().into()).collect();
    let secret = Secret::generate(Kind::Token);
    let body = TokenBody {
        name,
        hint: secret.hint().into(),
        digest: token_digest(secret.as_str()),
        role: role.map_or("", Role::word).into(),
        scopes: scopes.map(words),
        issuers: Some(issuers(&call)?),
        expires_at,
        revoked_at: None,
    };
    if call.is_dry() {
        return Ok(Reply::json(&json!({ "dry_run": true, "name": &*body.name })));
    }
    let written = entries::put(&call, EntryAt::New, EntryBody::Token(body)).await?;
    let location = format!("/ratelimit/tokens/{}", written.entry.id);
    let nodes = call.confirmed_at_once(Goal::Overrides(written.seq)).await;
    let shown = entries::with(of(&written.entry, call.now()), "nodes", nodes);
    let shown = entries::with(shown, "token", json!(secret.as_str()));
    let reply = Reply::json(&shown).unkept();
    Ok(reply.created(location).sequence(written.seq))
}

fn role(form: &mut Form) -> Option<Role> {
    let said = form.text("role", NAME_CHARS_MAX);
    let role = form.needed("role", said)?;
    match role.parse() {
        Ok(role) => Some(role),
        Err(error) => {
            form.wrong("role", format!("{role:?} {error}"));
            None
        }
    }
}

/// Less than the role may: each a permission that the role has.
fn scopes(form: &mut Form, role: Option<Role>) -> Option<Vec<Permission>> {
    let Said::This(value) = form.take("scopes") else {
        return None;
    };
    let words: Option<Vec<&str>> = match &value {
        Value::Array(items) => items.iter().map(Value::as_str).collect(),
        _ => None,
    };
    let Some(words) = words.filter(|words| !words.is_empty()) else {
        form.wrong(
            "scopes",
            "must be a list of scopes, for example [\"read\"]; leave it out for all of the role",
        );
        return None;
    };
    let mut scopes: Vec<Permission> = Vec::new();
    for word in words.into_iter().take(Permission::ALL.len()) {
        let shown: String = word.chars().take(64).collect();
        match (word.parse::<Permission>(), role) {
            (Err(error), _) => form.wrong("scopes", format!("{shown:?} {error}")),
            (Ok(scope), Some(role)) if !role.may(scope) => {
                form.wrong("scopes", format!("the role {role} does not have {scope}"));
            }
            (Ok(scope), _) => scopes.push(scope),
        }
    }
    Some(scopes)
}

/// Nobody gives away more than they have.
fn may_grant(
    call: &Call,
    role: Option<Role>,
    scopes: Option<&[Permission]>,
) -> Result<(), Problem> {
    let (Some(actor), Some(role)) = (call.actor(), role) else {
        return Ok(());
    };
    actor.may_grant(role, scopes).map_err(|lacking| {
        let detail = format!(
            "the new token would have {lacking}, which yours does not have: give it a smaller role, or scopes that \
             yours has"
        );
        let problem = Problem::new(StatusCode::FORBIDDEN, "beyond-issuer", detail);
        problem.with("wanted", lacking.word())
    })
}

/// The caller's line of issue, which the new token keeps: its length is bounded.
fn issuers(call: &Call) -> Result<Lineage, Problem> {
    let line = call.actor().map(|actor| actor.line.clone());
    let line = line.unwrap_or_else(Lineage::unknown);
    let (given, max) = (line.issuers().len(), ISSUERS_MAX);
    if given > max {
        let detail = format!(
            "the new token would have {given} issuers above it, and {max} is the most: issue it with a token that is \
             nearer to the one the server was started with"
        );
        return Err(Problem::new(StatusCode::FORBIDDEN, "too-many-issuers", detail));
    }
    Ok(line)
}

/// The audit tells people apart by the names of their tokens: no two that open anything have the same.
async fn is_free(call: &Call, name: &str) -> Result<(), Problem> {
    let now = call.now();
    let mut after = None;
    loop {
        let listing = EntryListing {
            kind: EntryKind::Token,
            user: None,
            org: None,
            after: after.take(),
            count: LOOK,
        };
        let some = call.reading(call.state.catalog.entries(&listing)).await?;
        let is_same = |entry: &&StoredEntry| {
            let body = body(entry);
            body.is_some_and(|body| body.name.eq_ignore_ascii_case(name) && is_open(body, now))
        };
        if let Some(other) = some.iter().find(is_same) {
            let detail = format!(
                "token {} has the name {name:?} already: take another, or revoke that one first",
                other.id
            );
            return Err(Problem::new(StatusCode::CONFLICT, "name-taken", detail));
        }
        let is_over = u32::try_from(some.len()).is_ok_and(|count| count < LOOK);
        let Some(last) = some.last().filter(|_| !is_over) else {
            return Ok(());
        };
        after = Some(EntryPlace { seq: last.seq, id: Arc::clone(&last.id) });
    }
}

/// Whether it opens anything.
fn is_open(body: &TokenBody, now: Timestamp) -> bool {
    body.revoked_at.is_none() && body.expires_at.is_none_or(|end| now < end)
}

/// Revokes it, with effect on every node: waits until all of them know, unless told otherwise.
pub(super) async fn revoke(call: Call) -> Outcome {
    let id = call.in_path("id");
    let entry = entries::known(&call, EntryKind::Token, id).await?;
    let before = body(&entry).cloned();
    let before = before.ok_or_else(|| entries::unknown(EntryKind::Token, id))?;
    etag::seen(&call.headers, &format!("token {}", entry.id), entry.seq)?;
    let is_new = before.revoked_at.is_none();
    let (seq, entry) = match is_new {
        false => (entry.seq, entry),
        true => {
            let body = TokenBody { revoked_at: Some(call.now()), ..before };
            let at = EntryAt::Id { id: Arc::clone(&entry.id), seen: Some(entry.seq) };
            let written = entries::put(&call, at, EntryBody::Token(body)).await?;
            (written.seq, written.entry)
        }
    };
    let nodes = call.confirmed_at_once(Goal::Overrides(seq)).await;
    let shown = entries::with(of(&entry, call.now()), "nodes", nodes);
    let shown = entries::with(shown, "changed", json!(is_new));
    Ok(Reply::json(&shown).sequence(seq))
}

pub(super) async fn list(call: Call) -> Outcome {
    let now = call.now();
    let found = entries::page(&call, EntryKind::Token, |_| true).await?;
    let seq = found.entries.iter().map(|entry| entry.seq.get()).max();
    let tokens: Vec<Value> = found.entries.iter().map(|entry| of(entry, now)).collect();
    Ok(Reply::json(&json!({ "tokens": tokens, "next_cursor": found.next_cursor, "seq": seq })))
}

pub(super) async fn read(call: Call) -> Outcome {
    let entry = entries::known(&call, EntryKind::Token, call.in_path("id")).await?;
    Ok(Reply::json(&of(&entry, call.now())).sequence(entry.seq))
}

/// What is stored of it.
pub(super) const fn body(entry: &StoredEntry) -> Option<&TokenBody> {
    match &entry.body {
        EntryBody::Token(body) => Some(body),
        _ => None,
    }
}

/// A token without the token.
pub(super) fn of(entry: &StoredEntry, now: Timestamp) -> Value {
    let Some(body) = body(entry) else {
        return entries::stamped(json!({}), entry);
    };
    let state = if body.revoked_at.is_some() {
        "revoked"
    } else if body.expires_at.is_some_and(|end| end <= now) {
        "expired"
    } else {
        "active"
    };
    let scopes = body.scopes.as_ref();
    let scopes = scopes.map(|scopes| scopes.iter().map(|scope| &**scope).collect::<Vec<&str>>());
    let json = json!({
        "name": &*body.name,
        "begins": &*body.hint,
        "role": &*body.role,
        "scopes": scopes,
        "issuers": body.issuers.as_ref().map(Lineage::words),
        "expires_at": body.expires_at.map(when::shown),
        "revoked_at": body.revoked_at.map(when::shown),
        "state": state,
    });
    entries::stamped(json, entry)
}
