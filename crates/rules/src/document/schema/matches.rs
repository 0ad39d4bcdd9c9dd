//! Which requests a rule is about.

use serde_json::{Value, json};

use super::parts::{described, object, one_or_many, shared};
use crate::{Field, Match};

/// The field `match`.
pub(super) fn matches() -> Value {
    let several = |name: &str| one_or_many(&shared(name), Match::VALUES_MAX);
    let fact = |description: &str| described(description, several("identifier"));
    let fields = [
        (
            "tier",
            described("The tier is one of these", several("name")),
        ),
        ("user", fact("The user is one of these")),
        ("org", fact("The organisation is one of these")),
        ("api_key", fact("The id of the API key is one of these")),
        ("region", fact("The region is one of these")),
        ("endpoint", endpoint()),
        (
            "method",
            described("The method is one of these", several("method")),
        ),
        (
            "ip",
            described(
                "The address is in one of these networks",
                several("network"),
            ),
        ),
        ("attributes", attributes()),
        ("descriptor", descriptor()),
    ];
    let description = "Which requests: every condition must hold. Without conditions, all of them";
    object(description, &fields, &[])
}

fn endpoint() -> Value {
    json!({
        "description": "The path: exact, {name} or * for one segment, ** at the end for all that follows",
        "type": "string",
        "pattern": "^/",
        "examples": ["/api/v1/login", "/users/{id}", "/search/**"],
    })
}

fn attributes() -> Value {
    let part = |description: &str| json!({ "description": description, "type": ["string", "number", "boolean"], "minLength": 1 });
    let prefix = ("prefix", part("The attribute begins with this"));
    let suffix = ("suffix", part("The attribute ends with this"));
    json!({
        "description": "Each of these attributes is as said: a text, one of several, or a beginning or end",
        "type": "object",
        "minProperties": 1,
        "maxProperties": Match::ATTRIBUTES_MAX,
        "propertyNames": { "minLength": 1, "maxLength": Field::ATTRIBUTE_BYTES_MAX },
        "additionalProperties": {
            "anyOf": [
                one_or_many(&shared("identifier"), Match::VALUES_MAX),
                object("How the attribute begins", &[prefix], &["prefix"]),
                object("How the attribute ends", &[suffix], &["suffix"]),
            ],
        },
    })
}

fn descriptor() -> Value {
    json!({
        "description": "The Envoy descriptor has exactly these entries, in order: [key, value], or [key] for any value",
        "type": "array",
        "minItems": 1,
        "maxItems": Match::ATTRIBUTES_MAX,
        "items": { "type": "array", "items": shared("identifier"), "minItems": 1, "maxItems": 2 },
    })
}
