//! What is asked and answered about API keys, quotas, blocks, tokens, proposals and the audit.

use serde_json::{Map, Value, json};

use super::schemas::{list, maybe, number, object, shape, text, truth};
use crate::authority::{Permission, Role};

/// Every schema of them by its name.
pub(super) fn all() -> Map<String, Value> {
    let mut schemas = Map::new();
    for more in [keys(), quotas(), blocks(), tokens(), proposals(), audit()] {
        if let Value::Object(more) = more {
            schemas.extend(more);
        }
    }
    schemas
}

/// An object that takes these members and no others.
fn wanted(members: &Value, required: &[&str]) -> Value {
    json!({
        "type": "object", "properties": members, "required": required,
        "additionalProperties": false,
    })
}

/// With what every entry has.
fn stored(mut members: Value) -> Value {
    let more = json!({
        "id": text(), "seq": number(), "created_at": text(), "created_by": text(),
        "changed_at": text(), "changed_by": text(),
    });
    if let (Value::Object(members), Value::Object(more)) = (&mut members, more) {
        members.extend(more);
    }
    members
}

/// An object of which members may be missing.
fn loose(members: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": members, "required": required })
}

fn with(mut members: Value, more: Value) -> Value {
    if let (Value::Object(members), Value::Object(more)) = (&mut members, more) {
        members.extend(more);
    }
    members
}

fn name() -> Value {
    json!({ "type": ["string", "null"], "minLength": 1, "maxLength": 128 })
}

fn moment() -> Value {
    json!({ "type": ["string", "null"], "format": "date-time" })
}

fn span() -> Value {
    json!({ "type": ["string", "null"], "pattern": "^[1-9][0-9]{0,3}(s|min|h|day|week)$", "examples": ["30day"] })
}

fn own_limits() -> Value {
    let texts = list(&json!({ "type": "string", "examples": ["10/s"] }));
    let amount = json!({ "type": ["integer", "null"], "minimum": 1 });
    json!({
        "limits": json!({ "anyOf": [texts, { "type": ["string", "null"] }] }),
        "per_second": amount, "per_minute": amount, "per_hour": amount, "per_day": amount,
        "burst": amount,
    })
}

fn keys() -> Value {
    let asked = with(
        own_limits(),
        json!({
            "name": name(), "user_id": maybe("string"), "org_id": maybe("string"),
            "tier": maybe("string"), "expires_at": moment(), "ttl": span(),
        }),
    );
    let state = json!({ "enum": ["active", "expired", "revoked"] });
    let key = stored(json!({
        "name": text(), "begins": text(), "user_id": maybe("string"), "org_id": maybe("string"),
        "tier": maybe("string"), "limits": json!({ "type": ["array", "null"], "items": text() }),
        "burst": maybe("integer"), "expires_at": maybe("string"), "revoked_at": maybe("string"),
        "former_until": maybe("string"), "state": state, "usage": shape("Usage"),
        "nodes": shape("Nodes"), "changed": truth(),
    }));
    let issued = with(
        key.clone(),
        json!({ "key": { "type": "string", "description": "The key itself, shown this once" } }),
    );
    let pair = object(&json!({ "allowed": number(), "denied": number() }));
    let used = json!({
        "today": pair, "month": pair, "total": pair, "exceeded": number(), "last_at": maybe("string"),
    });
    let used_of = with(used.clone(), json!({ "user_id": text(), "api_key": text() }));
    json!({
        "ApiKeyWanted": wanted(&asked, &[]),
        "ApiKey": loose(&key, &["id", "seq", "name", "state"]),
        "IssuedApiKey": loose(&issued, &["id", "seq", "name", "state", "key"]),
        "ApiKeyList": paged("api_keys", "ApiKey"),
        "DryIssue": object(&json!({ "dry_run": json!({ "const": true }), "name": text() })),
        "Usage": object(&used),
        "UsageOf": loose(&used_of, &["today", "month", "total", "last_at"]),
        "RemovedEntry": loose(&json!({
            "dry_run": truth(), "id": maybe("string"), "ids": list(&text()), "user_id": text(),
            "changed": truth(), "seq": maybe("integer"), "nodes": shape("Nodes"),
        }), &["changed"]),
    })
}

fn paged(name: &str, of: &str) -> Value {
    object(&json!({
        name: list(&shape(of)), "next_cursor": maybe("string"), "seq": maybe("integer"),
    }))
}

fn quotas() -> Value {
    let asked = with(own_limits(), json!({ "tier": maybe("string") }));
    let quota = stored(json!({
        "dry_run": truth(), "changed": truth(),
        "user_id": text(), "tier": maybe("string"),
        "limits": json!({ "type": ["array", "null"], "items": text() }), "burst": maybe("integer"),
        "usage": shape("Usage"), "block": json!({ "anyOf": [shape("Block"), { "type": "null" }] }),
        "nodes": shape("Nodes"),
    }));
    json!({
        "QuotaWanted": wanted(&asked, &[]),
        "Quota": loose(&quota, &["user_id"]),
        "QuotaList": paged("quotas", "Quota"),
    })
}

fn blocks() -> Value {
    let terms = json!({
        "reason": { "type": ["string", "null"], "minLength": 1, "maxLength": 1_000 },
        "until": moment(), "ttl": span(),
    });
    let subject = json!({ "type": ["string", "null"], "minLength": 1 });
    let asked = with(
        terms.clone(),
        json!({ "user_id": subject, "org_id": subject, "api_key": subject, "ip": subject }),
    );
    let block = stored(json!({
        "dry_run": truth(), "changed": truth(),
        "user_id": text(), "org_id": text(), "api_key": text(), "ip": text(),
        "reason": maybe("string"), "until": maybe("string"), "in_force": truth(),
        "nodes": shape("Nodes"),
    }));
    json!({
        "BlockTerms": wanted(&terms, &[]),
        "BlockWanted": wanted(&asked, &[]),
        "Block": loose(&block, &[]),
        "BlockList": paged("blocks", "Block"),
    })
}

fn tokens() -> Value {
    let role = json!({ "enum": Role::ALL.map(Role::word) });
    let scopes: Vec<&str> = Permission::ALL.into_iter().map(Permission::word).collect();
    let asked = json!({
        "name": { "type": "string", "minLength": 1, "maxLength": 128 }, "role": role,
        "scopes": { "type": ["array", "null"], "items": { "enum": scopes }, "minItems": 1 },
        "expires_at": moment(), "ttl": span(),
    });
    let token = stored(json!({
        "name": text(), "begins": text(), "role": text(),
        "scopes": json!({ "type": ["array", "null"], "items": text() }),
        "issuers": issuers(),
        "expires_at": maybe("string"), "revoked_at": maybe("string"),
        "state": json!({ "enum": ["active", "expired", "revoked"] }),
        "nodes": shape("Nodes"), "changed": truth(),
    }));
    let issued = with(
        token.clone(),
        json!({ "token": { "type": "string", "description": "The token itself, shown this once" } }),
    );
    json!({
        "TokenWanted": wanted(&asked, &["name", "role"]),
        "Token": loose(&token, &["id", "seq", "name", "role", "state"]),
        "IssuedToken": loose(&issued, &["id", "seq", "name", "role", "state", "token"]),
        "TokenList": paged("tokens", "Token"),
    })
}

/// A line of issue: `start`, `first-start`, `loopback`, `unknown`, `certificate:NAME`, `token:ID`, `older-token:ID`.
fn issuers() -> Value {
    json!({ "type": ["array", "null"], "items": { "type": "string", "examples": ["start", "token:t1"] } })
}

fn proposals() -> Value {
    json!({
        "Proposal": object(&json!({
            "id": number(), "state": json!({ "enum": ["open", "approved", "rejected", "expired"] }),
            "method": text(), "target": text(), "headers": json!({ "type": "object" }), "body": json!({}),
            "author": text(), "author_issuers": issuers(), "reason": maybe("string"),
            "created_at": text(), "expires_at": text(),
            "settled": json!({ "type": ["object", "null"] }),
        })),
        "ProposalList": object(&json!({ "proposals": list(&shape("Proposal")) })),
        "Proposed": object(&json!({ "proposal": shape("Proposal"), "detail": text() })),
        "SettledProposal": loose(
            &json!({ "proposal": shape("Proposal"), "result": json!({}) }),
            &["proposal"],
        ),
    })
}

fn audit() -> Value {
    json!({
        "AuditPage": object(&json!({ "rows": list(&shape("AuditRow")), "next_cursor": maybe("string") })),
        "AuditRow": object(&json!({
            "id": number(), "at": text(), "actor": text(), "role": maybe("string"),
            "from": maybe("string"), "request_id": maybe("string"), "action": text(),
            "object_kind": text(), "object": text(), "reason": maybe("string"), "before": json!({}),
            "after": json!({}), "outcome": json!({ "enum": ["done", "refused"] }), "times": number(),
        })),
    })
}
