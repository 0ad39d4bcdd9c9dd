//! The whole file.

use serde_json::{Value, json};
use tollgate_core::Limit;

use super::{
    exception::exception,
    parts::{definitions, described, object, one_or_many, shared},
    rule::rule,
    trial::trial,
};
use crate::{RuleSet, Tier, Trial};

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
        (
            "version",
            json!({ "description": "The version of this format: 1", "const": 1 }),
        ),
        (
            "default_tier",
            described(
                "The tier of requests that state none; free by default",
                shared("name"),
            ),
        ),
        ("tiers", tiers()),
        (
            "rules",
            list(
                "The rules; their order means nothing",
                &rule(),
                RuleSet::RULES_MAX,
            ),
        ),
        (
            "overrides",
            list(
                "Exceptions for single keys",
                &exception(),
                RuleSet::OVERRIDES_MAX,
            ),
        ),
        (
            "tests",
            list(
                "Tests of these rules: tollgate rules test",
                &trial(),
                Trial::COUNT_MAX,
            ),
        ),
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
    let tier = object(
        "A class of callers",
        &[("rank", rank), ("default", default)],
        &[],
    );
    json!({
        "description": "The tiers by name, instead of free, premium, internal-service and admin",
        "type": "object",
        "minProperties": 1,
        "maxProperties": Tier::COUNT_MAX,
        "propertyNames": shared("name"),
        "additionalProperties": tier,
    })
}
