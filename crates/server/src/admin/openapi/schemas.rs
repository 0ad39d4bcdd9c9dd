//! What is answered, and what a request is explained by.

use serde_json::{Map, Value, json};
use tollgate_core::Reason;
use tollgate_rules::Scope;

use super::{people, rule};

/// Every schema by its name.
pub(super) fn all() -> Map<String, Value> {
    let mut schemas = rule::schemas();
    schemas.extend(people::all());
    for more in [lists(), writes(), counters(), about()] {
        if let Value::Object(more) = more {
            schemas.extend(more);
        }
    }
    schemas
}

pub(super) fn shape(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

pub(super) fn list(of: &Value) -> Value {
    json!({ "type": "array", "items": of })
}

/// An object of which all members are always there.
pub(super) fn object(members: &Value) -> Value {
    let names: Vec<&String> = members.as_object().into_iter().flat_map(Map::keys).collect();
    json!({ "type": "object", "properties": members, "required": names })
}

pub(super) fn number() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

pub(super) fn maybe(kind: &str) -> Value {
    json!({ "type": [kind, "null"] })
}

pub(super) fn truth() -> Value {
    json!({ "type": "boolean" })
}

fn lists() -> Value {
    let next = maybe("string");
    let revision = json!({
        "revision": number(), "hash": text(), "kind": json!({ "enum": ["edit", "apply", "rollback"] }),
        "back_to": maybe("integer"), "author": text(), "reason": maybe("string"), "at": text(),
        "changed": number(),
    });
    let mut changes = revision.clone();
    if let Value::Object(members) = &mut changes {
        members.insert("changes".to_owned(), list(&shape("ItemChange")));
        members.insert("changes_not_shown".to_owned(), number());
    }
    json!({
        "RuleList": object(&json!({
            "rules": list(&shape("StoredRule")), "next_cursor": next, "revision": number(),
            "demo": truth(), "note": maybe("string"),
        })),
        "TierList": object(&json!({
            "tiers": list(&shape("StoredTier")), "default_tier": text(), "revision": number(),
        })),
        "OverrideList": object(&json!({ "overrides": list(&shape("StoredOverride")), "next_cursor": next })),
        "RevisionList": object(&json!({
            "revisions": list(&object(&revision)), "next_cursor": next, "revision": number(),
        })),
        "RevisionChanges": object(&changes),
        "ItemChange": object(&json!({
            "kind": text(), "id": text(), "name": text(), "before": json!({}), "after": json!({}),
        })),
        "Trusted": object(&json!({ "trusted": truth(), "shards": number(), "in_doubt": number() })),
        "NodeList": object(&json!({ "nodes": list(&shape("Node")), "this": text(), "revision": number(), "region": text() })),
        "Node": object(&json!({
            "id": text(), "this": truth(), "revision": number(), "hash": text(),
            "override_sequence": number(), "started_at": text(), "seen_at": text(),
            "live": truth(), "left": truth(),
        })),
    })
}

fn writes() -> Value {
    let optional = |members: &Value, required: &[&str]| json!({ "type": "object", "properties": members, "required": required });
    json!({
        "DryRun": object(&json!({
            "dry_run": json!({ "const": true }), "revision": number(), "changed": truth(),
            "differences": list(&shape("Difference")), "warnings": list(&shape("Flaw")),
        })),
        "Difference": object(&json!({
            "kind": json!({ "enum": ["added", "removed", "changed"] }),
            "object": json!({ "enum": ["default_tier", "tier", "rule", "override"] }),
            "name": text(), "text": text(), "counters": text(), "counters_reason": maybe("string"),
            "fields": list(&object(&json!({ "field": text(), "before": text(), "after": text() }))),
        })),
        "Flaw": optional(&json!({
            "severity": json!({ "enum": ["error", "warning"] }), "path": maybe("string"),
            "parameter": text(), "at": text(), "line": number(), "column": number(),
            "message": text(), "help": maybe("string"),
        }), &["message"]),
        "Nodes": json!({
            "description": "Which nodes run the write; null if nobody was waited for",
            "type": ["object", "null"],
            "properties": {
                "confirmed": list(&text()), "missing": list(&text()),
                "unknown": json!({ "type": "string", "description": "Why it cannot be told" }),
            },
        }),
        "Removed": optional(&json!({
            "id": text(), "name": text(), "revision": number(), "changed": truth(),
            "nodes": shape("Nodes"),
        }), &["revision", "changed"]),
        "RolledBack": optional(&json!({
            "back_to": number(), "revision": number(), "changed": truth(), "nodes": shape("Nodes"),
        }), &["revision", "changed"]),
        "WrittenOverrides": optional(&json!({
            "dry_run": truth(), "ids": list(&number()), "overrides": list(&shape("Override")),
            "sequence": number(), "warnings": list(&shape("Flaw")), "nodes": shape("Nodes"),
        }), &["overrides", "warnings"]),
        "RemovedOverride": optional(&json!({
            "dry_run": truth(), "id": number(), "changed": truth(), "sequence": number(),
            "override": shape("StoredOverride"), "nodes": shape("Nodes"),
        }), &["id", "changed"]),
    })
}

fn counters() -> Value {
    let scopes = Scope::ALL.map(|scope| scope.to_string());
    let fact = maybe("string");
    json!({
        "Counters": object(&json!({
            "revision": number(), "allowed": truth(), "blocked": truth(), "rule": maybe("string"),
            "reason": json!({ "enum": Reason::ALL.map(Reason::word) }),
            "counters": list(&shape("Counter")), "fallback": maybe("string"),
            "consistency": text(),
        })),
        "Counter": object(&json!({
            "rule": text(), "rule_id": text(), "key": text(), "period": text(), "window_s": number(),
            "limit": number(), "remaining": number(), "reset": number(), "allowed": truth(),
            "retry_after": maybe("integer"), "overridden": truth(), "counted": text(),
        })),
        "TopKeys": object(&json!({
            "keys": list(&object(&json!({ "rule": text(), "key": text(), "count": number(), "error": number() }))),
            "span_s": number(), "sampled_one_in": number(), "node": text(),
        })),
        "Facts": json!({
            "description": "The facts of a check; at least one",
            "type": "object",
            "minProperties": 1,
            "additionalProperties": false,
            "properties": {
                "user_id": fact, "org_id": fact, "api_key": fact, "ip": fact, "tier": fact,
                "endpoint": fact, "method": fact, "region": fact, "request_id": fact,
                "token": fact,
                "attributes": { "type": ["object", "null"], "additionalProperties": text() },
                "cost": { "type": ["integer", "null"], "minimum": 0 },
                "scope": { "enum": scopes },
            },
        }),
        "Explanation": object(&json!({
            "revision": number(), "tier": text(), "tier_declared": truth(), "tier_note": maybe("string"),
            "blocked": maybe("string"),
            "block": json!({ "oneOf": [json!({ "type": "null" }), object(&json!({
                "field": text(), "value": text(), "reason": maybe("string"),
            }))] }),
            "not_shown": number(), "consistency": text(),
            "rules": list(&object(&json!({ "rule": text(), "action": text(), "fate": text(), "text": text() }))),
        })),
    })
}

fn about() -> Value {
    json!({
        "Problem": {
            "description": "RFC 9457; more members say more",
            "type": "object",
            "required": ["type", "title", "status", "detail"],
            "properties": {
                "type": { "type": "string", "examples": ["urn:tollgate:problem:conflict"] },
                "title": text(), "status": { "type": "integer" }, "detail": text(),
                "errors": list(&shape("Flaw")),
                "difference": list(&shape("Difference")),
                "revision": number(), "current_version": maybe("integer"),
                "written_by": maybe("string"), "file": text(),
            },
        },
        "Index": object(&json!({
            "service": text(), "version": text(), "node": text(), "region": text(), "openapi": text(),
            "listeners": object(&json!({ "http": text(), "grpc": text(), "resp": text(), "admin": text() })),
            "database": text(), "redis": json!({ "anyOf": [shape("Redis"), { "type": "null" }] }),
            "paths": list(&object(&json!({ "path": text(), "methods": list(&text()) }))),
        })),
        "Redis": object(&json!({
            "address": maybe("string"), "layout": json!({ "enum": ["single", "cluster", "unknown"] }),
            "live_nodes": number(),
            "shards": list(&object(&json!({
                "name": text(), "state": json!({ "enum": ["up", "returning", "down"] }),
                "asked_percent": number(), "trouble": maybe("string"),
                "doubt": json!({ "type": ["object", "null"], "properties": {
                    "since": text(), "until": text(), "awaited": number(),
                } }),
            }))),
        })),
        "Alive": object(&json!({ "status": json!({ "const": "ok" }) })),
        "Ready": object(&json!({
            "ready": truth(), "revision": maybe("integer"), "demo": truth(),
            "degraded": list(&text()), "warnings": list(&text()), "counting": text(),
        })),
        "OpenApi": { "type": "object" },
    })
}
