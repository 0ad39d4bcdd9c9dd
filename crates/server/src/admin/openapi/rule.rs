//! The schemas of rules, tiers and overrides: those of the rules file, which the reader is tested
//! against.

use serde_json::{Map, Value, json};
use tollgate_catalog::OVERRIDES_BATCH_MAX;
use tollgate_rules::document;

/// What a rule, a tier and an override are, with everything they refer to, by name.
pub(super) fn schemas() -> Map<String, Value> {
    let mut file = document::schema();
    let mut schemas = taken_parts(&mut file);
    let part = |at: &str| file.pointer(at).cloned().unwrap_or_default();
    let rule = part("/properties/rules/items");
    let tier = part("/properties/tiers/additionalProperties");
    let tier = with(tier, &[("name", json!({ "$ref": "#/$defs/name" }))]);
    let exception = part("/properties/overrides/items");
    let one = json!({ "$ref": "#/$defs/Override" });
    let many =
        json!({ "type": "array", "items": one, "minItems": 1, "maxItems": OVERRIDES_BATCH_MAX });
    let ours = [
        ("Rule", with(rule.clone(), &rule_members())),
        ("StoredRule", stored(rule.clone(), &rule_members(), &["id", "version"])),
        ("WrittenRule", written(&rule, &rule_members())),
        ("Tier", with(tier.clone(), &tier_members())),
        ("StoredTier", stored(tier.clone(), &tier_members(), &["name", "version"])),
        ("WrittenTier", written(&tier, &tier_members())),
        ("Override", with(exception.clone(), &override_members())),
        ("StoredOverride", stored(exception, &override_members(), &["id", "in_force"])),
        ("OverrideOrMany", json!({ "anyOf": [one, many] })),
        ("RulesFile", file),
    ];
    schemas.extend(ours.map(|(name, schema)| (name.to_owned(), schema)));
    for schema in schemas.values_mut() {
        moved(schema);
    }
    schemas
}

/// What the schemas refer to, taken out of the schema of a whole file.
fn taken_parts(file: &mut Value) -> Map<String, Value> {
    let Value::Object(members) = file else {
        return Map::new();
    };
    members.remove("$schema");
    match members.remove("$defs") {
        Some(Value::Object(parts)) => parts,
        _ => Map::new(),
    }
}

/// What we add; whoever sends it back is not told off.
fn ours(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(members) = &mut schema {
        members.insert("readOnly".to_owned(), true.into());
    }
    schema
}

fn stamps() -> Vec<(&'static str, Value)> {
    let number = json!({ "type": "integer", "minimum": 0 });
    let text = json!({ "type": "string" });
    vec![
        ("version", ours(&number)),
        ("created_at", ours(&text)),
        ("created_by", ours(&text)),
        ("updated_at", ours(&text)),
        ("updated_by", ours(&text)),
    ]
}

fn rule_members() -> Vec<(&'static str, Value)> {
    let mut members = stamps();
    members.push(("id", ours(&json!({ "type": "string", "format": "uuid" }))));
    members
}

fn tier_members() -> Vec<(&'static str, Value)> {
    let mut members = stamps();
    members.push(("is_default", ours(&json!({ "type": "boolean" }))));
    members
}

fn override_members() -> Vec<(&'static str, Value)> {
    let maybe = json!({ "type": ["string", "null"] });
    vec![
        ("id", ours(&json!({ "type": "integer", "minimum": 0 }))),
        ("sequence", ours(&json!({ "type": "integer", "minimum": 0 }))),
        ("created_by", ours(&json!({ "type": "string" }))),
        ("created_at", ours(&json!({ "type": "string" }))),
        ("in_force", ours(&json!({ "type": "boolean" }))),
        ("removed_by", ours(&maybe)),
        ("removed_at", ours(&maybe)),
    ]
}

/// The schema with more members.
fn with(mut schema: Value, more: &[(&str, Value)]) -> Value {
    let members = schema.get_mut("properties").and_then(Value::as_object_mut);
    if let Some(members) = members {
        let more = more.iter();
        members.extend(more.map(|(name, schema)| ((*name).to_owned(), schema.clone())));
    }
    schema
}

/// The schema as it is answered: with more members, of which these are always there.
fn stored(schema: Value, more: &[(&str, Value)], required: &[&str]) -> Value {
    let mut schema = with(schema, more);
    if let Some(Value::Array(always)) = schema.get_mut("required") {
        for name in required {
            if !always.iter().any(|known| known == name) {
                always.push((*name).into());
            }
        }
    }
    schema
}

/// The schema as a write is answered. A dry run answers something else, and a rule that somebody else has
/// taken away since is only named.
fn written(schema: &Value, more: &[(&str, Value)]) -> Value {
    let of_write = [
        ("revision", json!({ "type": "integer", "minimum": 0 })),
        ("changed", json!({ "type": "boolean" })),
        ("nodes", json!({ "$ref": "#/$defs/Nodes" })),
        ("warnings", json!({ "type": "array", "items": { "$ref": "#/$defs/Flaw" } })),
    ];
    let mut written = with(with(schema.clone(), more), &of_write);
    if let Value::Object(members) = &mut written {
        members.remove("allOf");
        members.remove("additionalProperties");
        members.insert("required".to_owned(), json!(["revision", "changed"]));
    }
    written
}

/// What a document of JSON Schema calls `#/$defs/x` is `#/components/schemas/x` here.
fn moved(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(to) if name == "$ref" => {
                        *to = to.replace("#/$defs/", "#/components/schemas/");
                    }
                    value => moved(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(moved),
        _ => {}
    }
}
