//! Rules.

use serde_json::{Map, Value, json};
use tollgate_core::Limit;

use crate::{Field, Key, Match, Name, Response, normalise::IDENTIFIER_BYTES_MAX};

/// The longest owner or reason.
pub(super) const NOTE_LENGTH_MAX: usize = 1_000;

/// The fields that only a throttle has.
const THROTTLE: [&str; 11] = [
    "key",
    "missing",
    "limit",
    "limits",
    "algorithm",
    "group",
    "cost",
    "consistency",
    "on_failure",
    "warn_at",
    "hard_at",
];

/// A rule. A throttle needs a key and limits; a block and an allow have neither.
pub(super) fn rule() -> Value {
    let mut fields = vec![
        ("name", described("What the rule is called; unique", shared("name"))),
        ("renamed_from", described("The name it had before: keeps its counters", shared("name"))),
        ("match", matches()),
    ];
    fields.extend(throttle());
    fields.extend([
        ("priority", priority()),
        ("action", action()),
        ("response", response()),
        ("enabled", json!({ "description": "false keeps the rule without walking it", "type": "boolean", "default": true })),
        ("owner", described("Who answers for the rule", prose(NOTE_LENGTH_MAX))),
        ("reason", described("Why the rule exists", prose(NOTE_LENGTH_MAX))),
    ]);
    let mut rule = object("Which requests, and what happens to them", &fields, &["name"]);
    let never = |names: &[&str]| -> Map<String, Value> {
        let names = names.iter().map(|name| ((*name).to_owned(), Value::Bool(false)));
        names.collect()
    };
    let is = |actions: &[&str]| json!({ "properties": { "action": { "enum": actions } }, "required": ["action"] });
    let conditions = json!([
        {
            "if": is(&["block", "allow"]),
            "then": { "properties": never(&THROTTLE) },
            "else": {
                "required": ["key"],
                "oneOf": [{ "required": ["limit"] }, { "required": ["limits"] }],
            },
        },
        { "if": is(&["allow"]), "then": { "properties": never(&["response"]) } },
    ]);
    if let Some(rule) = rule.as_object_mut() {
        rule.insert("allOf".to_owned(), conditions);
    }
    rule
}

fn throttle() -> [(&'static str, Value); 11] {
    [
        ("key", key()),
        (
            "missing",
            described(
                "What becomes of a request without the key's facts: the rule does not apply, all \
                 such requests share a counter, or it is denied",
                word(&["skip", "shared", "deny"]),
            ),
        ),
        ("limit", shared("limit")),
        ("limits", limits("limit")),
        ("algorithm", shared("algorithm")),
        ("group", described("Of the throttles of a group only the first applies", shared("name"))),
        ("cost", cost()),
        (
            "consistency",
            described("How nodes agree on a counter", word(&["exact", "leased", "local"])),
        ),
        (
            "on_failure",
            described(
                "What to answer while the counters cannot be reached",
                word(&["open", "closed", "local"]),
            ),
        ),
        ("warn_at", shared("warn_at")),
        ("hard_at", shared("hard_at")),
    ]
}

/// What a rule counts by.
fn key() -> Value {
    let part = format!("({}|ip/[0-9]{{1,3}})", field_pattern());
    let field = json!({
        "description": "A fact, or several of which the first that is present counts: user|ip. ip/56 counts IPv6 by networks of 56 bits",
        "type": "string",
        "pattern": format!("^ *{part} *(\\| *{part} *)*$"),
    });
    let mut key = one_or_many(&field, Key::FIELDS_MAX);
    if let Some(list) = key.pointer_mut("/anyOf/1").and_then(Value::as_object_mut) {
        list.remove("minItems"); // [] is one counter for everyone
    }
    let description = "What the rule counts by; [] is one counter for everyone";
    described(description, key)
}

/// A list of limits, each as `$defs` says under this name.
pub(super) fn limits(each: &str) -> Value {
    json!({
        "description": "Several limits at once, no two of the same period",
        "type": "array",
        "items": shared(each),
        "minItems": 1,
        "maxItems": Limit::PER_KEY_MAX,
    })
}

fn cost() -> Value {
    json!({
        "description": "How much a request weighs: a number, or an attribute that holds one, divided and rounded up",
        "anyOf": [
            { "type": "integer", "minimum": 1 },
            { "type": "string", "pattern": "^([0-9]*[1-9][0-9]*|attributes\\.[^\\s/]+( */ *0*[1-9][0-9]*)?)$" },
        ],
        "examples": [1, "attributes.bytes / 1024"],
    })
}

fn priority() -> Value {
    json!({
        "description": "Rules of a higher priority are walked first; 0 by default",
        "type": "integer",
        "minimum": i32::MIN,
        "maximum": i32::MAX,
    })
}

fn action() -> Value {
    described(
        "What happens: count and deny beyond the limits, deny, or let pass and walk no further",
        word(&["throttle", "block", "allow"]),
    )
}

fn response() -> Value {
    let status = json!({
        "description": "The status; 429 for a throttle and 403 for a block by default",
        "type": "integer",
        "minimum": Response::STATUS_RANGE.start(),
        "maximum": Response::STATUS_RANGE.end(),
    });
    let retry_after = json!({
        "description": "The least wait shown, in seconds",
        "type": "integer",
        "minimum": 1,
        "maximum": Response::RETRY_AFTER_S_MAX,
    });
    let fields = [
        ("status", status),
        ("message", described("What the client reads", prose(Response::MESSAGE_BYTES_MAX))),
        ("retry_after", retry_after),
    ];
    object("What a denied client is told", &fields, &[])
}

/// A mapping of exactly these fields.
pub(super) fn object(description: &str, fields: &[(&str, Value)], required: &[&str]) -> Value {
    let fields: Map<String, Value> =
        fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
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
    let mut fields =
        vec![("per", shared("amount")), ("burst", burst), ("algorithm", shared("algorithm"))];
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

/// The field `match`.
pub(super) fn matches() -> Value {
    let several = |name: &str| one_or_many(&shared(name), Match::VALUES_MAX);
    let fact = |description: &str| described(description, several("identifier"));
    let fields = [
        ("tier", described("The tier is one of these", several("name"))),
        ("user", fact("The user is one of these")),
        ("org", fact("The organisation is one of these")),
        ("api_key", fact("The id of the API key is one of these")),
        ("region", fact("The region is one of these")),
        ("endpoint", endpoint()),
        ("method", described("The method is one of these", several("method"))),
        ("ip", described("The address is in one of these networks", several("network"))),
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
