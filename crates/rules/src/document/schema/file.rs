//! The whole file.

use serde_json::{Value, json};
use tollgate_core::Limit;

use super::rule::{
    NOTE_LENGTH_MAX, definitions, described, field_pattern, limits, object, one_or_many, prose,
    rule, shared, text, word,
};
use crate::{Query, Response, RuleSet, Scope, Step, Tier, Trial};

/// The JSON Schema (draft 2020-12) of a rules file, for editors: it completes and explains every
/// field. It accepts every file that [`super::super::read()`] accepts; what one field says about
/// another is left to the reader.
///
/// ```
/// use tollgate_rules::document;
///
/// let schema = document::schema();
/// assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
/// let description = &schema["properties"]["rules"]["items"]["properties"]["key"]["description"];
/// assert_eq!(description, "What the rule counts by; [] is one counter for everyone");
/// ```
pub fn schema() -> Value {
    let fields = [
        ("version", json!({ "description": "The version of this format: 1", "const": 1 })),
        (
            "default_tier",
            described("The tier of requests that state none; free by default", shared("name")),
        ),
        ("tiers", tiers()),
        ("rules", list("The rules; their order means nothing", &rule(), RuleSet::RULES_MAX)),
        ("overrides", list("Exceptions for single keys", &exception(), RuleSet::OVERRIDES_MAX)),
        ("tests", list("Tests of these rules: tollgate rules test", &trial(), Trial::COUNT_MAX)),
    ];
    let mut schema = object("The rules of Tollgate", &fields, &["version"]);
    if let Some(schema) = schema.as_object_mut() {
        let draft = "https://json-schema.org/draft/2020-12/schema";
        schema.insert("$schema".to_owned(), draft.into());
        schema.insert("title".to_owned(), "Tollgate rules file".into());
        schema.insert("$defs".to_owned(), definitions());
    }
    schema
}

fn list(description: &str, items: &Value, max: usize) -> Value {
    json!({ "description": description, "type": "array", "items": items, "maxItems": max })
}

fn tiers() -> Value {
    let rank = json!({
        "description": "Under load the lowest is turned away first",
        "type": "integer",
        "minimum": 0,
        "maximum": u32::MAX,
    });
    let default = described(
        "What a request may do that no throttle matched, by user|api_key|ip",
        one_or_many(&shared("limit"), Limit::PER_KEY_MAX),
    );
    let tier = object("A class of callers", &[("rank", rank), ("default", default)], &[]);
    json!({
        "description": "The tiers by name, instead of free, premium, internal-service and admin",
        "type": "object",
        "minProperties": 1,
        "maxProperties": Tier::COUNT_MAX,
        "propertyNames": shared("name"),
        "additionalProperties": tier,
    })
}

/// An override: for one key, exactly one change.
pub(super) fn exception() -> Value {
    let key = json!({
        "description": "The facts it is for: every field of the rule's key, with its value",
        "type": "object",
        "propertyNames": { "pattern": format!("^({})$", field_pattern()) },
        "additionalProperties": shared("identifier"),
    });
    let factor = json!({
        "description": "Every limit times this: 2x or 1.5x",
        "type": "string",
        "pattern": "^[0-9]+(\\.[0-9]{1,3})?x$",
    });
    let limit = "Instead of the rule's limit of the same period";
    let limits_instead = "Instead of all limits of the rule";
    let fields = [
        ("rule", described("The rule; every rule with such a key, if none", shared("name"))),
        ("key", key),
        ("limit", described(limit, shared("plain_limit"))),
        ("limits", described(limits_instead, limits("plain_limit"))),
        ("factor", factor),
        ("unlimited", json!({ "description": "No limit at all", "const": true })),
        ("until", described("When it ends by itself", shared("moment"))),
        ("reason", described("Why", prose(NOTE_LENGTH_MAX))),
    ];
    let mut exception = object("An exception for one key", &fields, &["key"]);
    let changes = ["limit", "limits", "factor", "unlimited"];
    let one: Vec<Value> = changes.iter().map(|name| json!({ "required": [name] })).collect();
    if let Some(exception) = exception.as_object_mut() {
        exception.insert("oneOf".to_owned(), one.into());
    }
    exception
}

/// A test: requests at moments, and what is expected of them.
pub(super) fn trial() -> Value {
    let steps = json!({
        "description": "The requests, in order",
        "type": "array",
        "items": step(),
        "maxItems": Trial::STEPS_MAX,
    });
    let fields = [
        ("name", described("What the test shows", prose(NOTE_LENGTH_MAX))),
        ("start", described("The time at which it begins", shared("moment"))),
        ("steps", steps),
    ];
    object("Requests on a clock that is moved by hand", &fields, &["name", "steps"])
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
        ("expect", described("What each of them gets", word(&["allow", "deny"]))),
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
        ("endpoint", json!({ "description": "The path", "type": "string", "pattern": "^(/|$)" })),
        ("method", described("The method", shared("method"))),
        ("region", described("The region", text())),
        ("attributes", attributes),
        ("descriptor", descriptor),
        (
            "cost",
            json!({ "description": "What the caller says it weighs", "type": "integer", "minimum": 0 }),
        ),
        ("scope", described("Only throttles whose key has this", word(&scopes))),
    ];
    object("The facts of a request", &fields, &[])
}
