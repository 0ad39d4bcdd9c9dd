//! The schemas of rules, tiers and overrides: those of the rules file, which the reader is tested
//! against.

use serde_json::{Map, Value, json};
use tollgate_rules::document;

/// What a rule, a tier and an override are, with everything they refer to, by name.
pub(super) fn schemas() -> Map<String, Value> {
    let mut file = document::schema();
    let parts = file["$defs"].take();
    let rule = file["properties"]["rules"]["items"].clone();
    let tier = file["properties"]["tiers"]["additionalProperties"].clone();
    let exception = file["properties"]["overrides"]["items"].clone();
    let mut schemas: Map<String, Value> = Map::new();
    if let Value::Object(parts) = parts {
        schemas.extend(parts);
    }
    let tier = with(tier, &[("name", json!({ "$ref": "#/$defs/name" }))]);
    schemas.insert("Rule".to_owned(), with(rule.clone(), &rule_members()));
    schemas.insert(
        "StoredRule".to_owned(),
        stored(rule.clone(), &rule_members(), &["id", "version"]),
    );
    schemas.insert(
        "WrittenRule".to_owned(),
        written(stored(rule, &rule_members(), &[]), &["revision", "changed"]),
    );
    schemas.insert("Tier".to_owned(), with(tier.clone(), &tier_members()));
    schemas.insert(
        "StoredTier".to_owned(),
        stored(tier.clone(), &tier_members(), &["name", "version"]),
    );
    schemas.insert(
        "WrittenTier".to_owned(),
        written(stored(tier, &tier_members(), &[]), &["revision", "changed"]),
    );
    schemas.insert(
        "Override".to_owned(),
        with(exception.clone(), &override_members()),
    );
    schemas.insert(
        "StoredOverride".to_owned(),
        stored(exception, &override_members(), &["id", "in_force"]),
    );
    let many = json!({ "type": "array", "items": { "$ref": "#/$defs/Override" }, "minItems": 1, "maxItems": tollgate_catalog::OVERRIDES_BATCH_MAX });
    schemas.insert(
        "OverrideOrMany".to_owned(),
        json!({ "anyOf": [{ "$ref": "#/$defs/Override" }, many] }),
    );
    file["$defs"] = Value::Null;
    for name in ["$schema", "$defs"] {
        if let Value::Object(members) = &mut file {
            members.remove(name);
        }
    }
    schemas.insert("RulesFile".to_owned(), file);
    for schema in schemas.values_mut() {
        moved(schema);
    }
    schemas
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
        (
            "sequence",
            ours(&json!({ "type": "integer", "minimum": 0 })),
        ),
        ("created_by", ours(&json!({ "type": "string" }))),
        ("created_at", ours(&json!({ "type": "string" }))),
        ("in_force", ours(&json!({ "type": "boolean" }))),
        ("removed_by", ours(&maybe)),
        ("removed_at", ours(&maybe)),
    ]
}

/// The schema with more members.
fn with(mut schema: Value, more: &[(&str, Value)]) -> Value {
    if let Some(members) = schema["properties"].as_object_mut() {
        members.extend(
            more.iter()
                .map(|(name, schema)| ((*name).to_owned(), schema.clone())),
        );
    }
    schema
}

/// The schema as it is answered: with more members, of which these are always there.
fn stored(schema: Value, more: &[(&str, Value)], required: &[&str]) -> Value {
    let mut schema = with(schema, more);
    if let Some(always) = schema["required"].as_array_mut() {
        for name in required
            .iter()
            .filter(|name| !always.iter().any(|it| *it == **name))
            .collect::<Vec<_>>()
        {
            always.push((**name).into());
        }
    }
    schema
}

/// The schema as a write is answered.
fn written(schema: Value, required: &[&str]) -> Value {
    let more = [
        ("revision", json!({ "type": "integer", "minimum": 0 })),
        ("changed", json!({ "type": "boolean" })),
        ("nodes", json!({ "$ref": "#/$defs/Nodes" })),
        (
            "warnings",
            json!({ "type": "array", "items": { "$ref": "#/$defs/Flaw" } }),
        ),
    ];
    let mut written = stored(schema, &more, required);
    // A dry run answers something else; a rule that somebody else has taken away since, its name only.
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
