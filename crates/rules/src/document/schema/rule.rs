//! Rules.

use serde_json::{Map, Value, json};
use tollgate_core::Limit;

use super::{
    matches,
    parts::{described, field_pattern, object, one_or_many, prose, shared, word},
};
use crate::{Key, Response};

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
        (
            "name",
            described("What the rule is called; unique", shared("name")),
        ),
        (
            "renamed_from",
            described("The name it had before: keeps its counters", shared("name")),
        ),
        ("match", matches::matches()),
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
    let mut rule = object(
        "Which requests, and what happens to them",
        &fields,
        &["name"],
    );
    let never = |names: &[&str]| -> Map<String, Value> {
        let names = names
            .iter()
            .map(|name| ((*name).to_owned(), Value::Bool(false)));
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
        (
            "group",
            described(
                "Of the throttles of a group only the first applies",
                shared("name"),
            ),
        ),
        ("cost", cost()),
        (
            "consistency",
            described(
                "How nodes agree on a counter",
                word(&["exact", "leased", "local"]),
            ),
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
        (
            "message",
            described("What the client reads", prose(Response::MESSAGE_BYTES_MAX)),
        ),
        ("retry_after", retry_after),
    ];
    object("What a denied client is told", &fields, &[])
}
