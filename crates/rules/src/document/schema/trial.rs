//! The tests of a file.

use serde_json::{Value, json};

use super::{
    parts::{described, object, prose, shared, text, word},
    rule::NOTE_LENGTH_MAX,
};
use crate::{Query, Response, Scope, Step, Trial};

/// A test: requests at moments, and what is expected of them.
pub(super) fn trial() -> Value {
    let steps = json!({
        "description": "The requests, in order",
        "type": "array",
        "items": step(),
        "maxItems": Trial::STEPS_MAX,
    });
    let fields = [
        (
            "name",
            described("What the test shows", prose(NOTE_LENGTH_MAX)),
        ),
        (
            "start",
            described("The time at which it begins", shared("moment")),
        ),
        ("steps", steps),
    ];
    object(
        "Requests on a clock that is moved by hand",
        &fields,
        &["name", "steps"],
    )
}

fn step() -> Value {
    let times = json!({
        "description": "How often, at that moment",
        "type": "integer",
        "minimum": 1,
        "maximum": Step::TIMES_MAX,
    });
    let status = json!({
        "description": "The status of the denial",
        "type": "integer",
        "minimum": Response::STATUS_RANGE.start(),
        "maximum": Response::STATUS_RANGE.end(),
    });
    let rule = json!({
        "description": "The rule that decides: its name, tier:NAME for a tier's default limits, or none",
        "type": ["string", "integer"],
    });
    let fields = [
        ("at", length("When, from the start of the test: 18s")),
        ("request", request()),
        ("times", times),
        (
            "expect",
            described("What each of them gets", word(&["allow", "deny"])),
        ),
        ("rule", rule),
        (
            "remaining",
            json!({ "description": "How much is left after the last", "type": "integer", "minimum": 0 }),
        ),
        ("retry_after", length("How long to wait: 42s, or never")),
        ("status", status),
    ];
    object("Requests at one moment", &fields, &["request", "expect"])
}

fn length(description: &str) -> Value {
    json!({
        "description": description,
        "anyOf": [
            { "type": "string", "pattern": "^([0-9]+(us|ms|s|min|h|day)|never|0)$" },
            { "const": 0 },
        ],
    })
}

fn request() -> Value {
    let scopes: Vec<String> = Scope::ALL.iter().map(ToString::to_string).collect();
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let pair = json!({ "type": "array", "items": text(), "minItems": 2, "maxItems": 2 });
    let attributes = json!({
        "description": "Its attributes",
        "type": "object",
        "additionalProperties": shared("identifier"),
    });
    let descriptor = json!({
        "description": "The Envoy descriptor it comes as",
        "type": "array",
        "items": pair,
        "maxItems": Query::ATTRIBUTES_MAX,
    });
    let fields = [
        ("user", described("The user", text())),
        ("org", described("The organisation", text())),
        ("api_key", described("The id of the API key", text())),
        ("ip", described("The client's address", shared("address"))),
        ("tier", described("The tier", text())),
        (
            "endpoint",
            json!({ "description": "The path", "type": "string", "pattern": "^(/|$)" }),
        ),
        ("method", described("The method", shared("method"))),
        ("region", described("The region", text())),
        ("attributes", attributes),
        ("descriptor", descriptor),
        (
            "cost",
            json!({ "description": "What the caller says it weighs", "type": "integer", "minimum": 0 }),
        ),
        (
            "scope",
            described("Only throttles whose key has this", word(&scopes)),
        ),
    ];
    object("The facts of a request", &fields, &[])
}
