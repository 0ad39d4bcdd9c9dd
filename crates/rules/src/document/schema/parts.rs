//! The pieces that several parts of the schema use.

use serde_json::{Map, Value, json};

use crate::{Field, Name, normalise::IDENTIFIER_BYTES_MAX};

/// A mapping of exactly these fields.
pub(super) fn object(description: &str, fields: &[(&str, Value)], required: &[&str]) -> Value {
    let fields: Map<String, Value> = fields
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    json!({
        "description": description,
        "type": "object",
        "properties": fields,
        "required": required,
        "additionalProperties": false,
    })
}

/// The schema with another description.
pub(super) fn described(description: &str, schema: Value) -> Value {
    let mut schema = schema;
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("description".to_owned(), description.into());
    }
    schema
}

/// What `$defs` holds under this name.
pub(super) fn shared(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// One value, or a list of at least one.
pub(super) fn one_or_many(one: &Value, max: usize) -> Value {
    json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1, "maxItems": max }] })
}

/// One of these words.
pub(super) fn word(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

/// A text. A number or a truth without quotes is read as the text it looks like.
pub(super) fn text() -> Value {
    json!({ "type": ["string", "number", "boolean"] })
}

/// A text for people.
pub(super) fn prose(max: usize) -> Value {
    json!({ "type": ["string", "number", "boolean"], "pattern": "\\S", "maxLength": max })
}

/// What several schemas refer to.
pub(super) fn definitions() -> Value {
    json!({
        "name": name(),
        "identifier": {
            "description": "The value of a fact, compared byte for byte",
            "type": ["string", "number", "boolean"],
            "minLength": 1,
            "maxLength": IDENTIFIER_BYTES_MAX,
        },
        "amount": {
            "description": "An amount per time: 5/min. Units are ms, s, min, h, day, week, month, or a multiple of one: 5/30s",
            "type": "string",
            "pattern": "^0*[1-9][0-9]*/(0*[1-9][0-9]*)?(ms|s|min|h|day|week|month)$",
            "examples": ["5/min", "100/30s", "20000/day"],
        },
        "algorithm": described(
            "How requests are counted. Without one a sliding window, or with a burst a token bucket",
            word(&["fixed_window", "sliding_window", "sliding_log", "token_bucket", "leaky_bucket"]),
        ),
        "warn_at": {
            "description": "Warn from this share of the limit on; 80% by default",
            "type": "string",
            "pattern": "^([1-9][0-9]?|100)%$",
        },
        "hard_at": {
            "description": "Deny from this share of the limit on; up to it requests are logged and pass",
            "type": "string",
            "pattern": "^([1-9][0-9]{2}|1000)%$",
        },
        "moment": {
            "description": "Date, time and zone: 2027-01-01T00:00:00Z",
            "type": "string",
            "format": "date-time",
            "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}",
        },
        "address": {
            "description": "An address: 192.0.2.1 or 2001:db8::1",
            "type": "string",
            "pattern": "^[0-9A-Fa-f:.]+$",
        },
        "network": {
            "description": "A network: 10.0.0.0/8 or 2001:db8::/32; an address alone is a network of one",
            "type": "string",
            "pattern": "^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$",
        },
        "method": {
            "description": "A method, in any case",
            "type": "string",
            "pattern": "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,23}$",
        },
        "limit": limit(&["warn_at", "hard_at"]),
        "plain_limit": limit(&[]),
    })
}

fn name() -> Value {
    json!({
        "description": "Letters, digits, '-', '_', '.' and '/'",
        "type": ["string", "integer"],
        "pattern": "^[A-Za-z0-9._/-]+$",
        "maxLength": Name::BYTES_MAX,
    })
}

/// A limit in a word, or with its details; `thresholds` are the fields it may have besides.
fn limit(thresholds: &[&str]) -> Value {
    let burst = json!({
        "description": "How much may pass at once; makes the limit a token bucket",
        "type": "integer",
        "minimum": 0,
    });
    let mut fields = vec![
        ("per", shared("amount")),
        ("burst", burst),
        ("algorithm", shared("algorithm")),
    ];
    fields.extend(thresholds.iter().map(|name| (*name, shared(name))));
    let details = object("A limit with its details", &fields, &["per"]);
    json!({
        "description": "How much may pass: 5/min, or { per: 10/s, burst: 20 }",
        "anyOf": [shared("amount"), details],
    })
}

/// The names of facts as a pattern, attributes included.
pub(super) fn field_pattern() -> String {
    let named = Field::NAMED.map(|field| field.word()).join("|");
    format!("{named}|attributes\\.[^|]+")
}
