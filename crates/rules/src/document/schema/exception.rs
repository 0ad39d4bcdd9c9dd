//! Overrides.

use serde_json::{Value, json};

use super::{
    parts::{described, field_pattern, object, prose, shared},
    rule::{NOTE_LENGTH_MAX, limits},
};

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
        (
            "rule",
            described(
                "The rule; every rule with such a key, if none",
                shared("name"),
            ),
        ),
        ("key", key),
        ("limit", described(limit, shared("plain_limit"))),
        ("limits", described(limits_instead, limits("plain_limit"))),
        ("factor", factor),
        (
            "unlimited",
            json!({ "description": "No limit at all", "const": true }),
        ),
        (
            "until",
            described("When it ends by itself", shared("moment")),
        ),
        ("reason", described("Why", prose(NOTE_LENGTH_MAX))),
    ];
    let mut exception = object("An exception for one key", &fields, &["key"]);
    let changes = ["limit", "limits", "factor", "unlimited"];
    let one: Vec<Value> = changes
        .iter()
        .map(|name| json!({ "required": [name] }))
        .collect();
    if let Some(exception) = exception.as_object_mut() {
        exception.insert("oneOf".to_owned(), one.into());
    }
    exception
}
