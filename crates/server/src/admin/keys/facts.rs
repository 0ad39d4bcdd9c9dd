//! The facts of a request, from a query or from JSON.

use serde_json::{Value, json};
use tollgate_core::Cost;
use tollgate_rules::{Facts, Query};

use super::super::{params::Params, problem::Problem};

/// The facts that are texts, as a check has them.
const TEXTS: [&str; 8] = [
    "user_id", "org_id", "api_key", "ip", "tier", "endpoint", "method", "region",
];

/// What else a check may hold.
const OTHERS: [&str; 4] = ["attributes", "cost", "scope", "request_id"];

/// From the query of a request.
pub(super) fn in_query(params: &Params) -> Facts {
    let mut facts = Facts::default();
    for name in TEXTS {
        if let Some(text) = params.text(name) {
            put(&mut facts, name, text);
        }
    }
    let attributes = params.texts("attributes");
    facts.attributes = attributes
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    facts
}

/// From a body; everything that is wrong is told at once.
pub(super) fn in_json(text: &str) -> Result<Facts, Problem> {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let Value::Object(members) = value else {
        return Err(Problem::invalid(
            "the facts of a request are an object",
            Vec::new(),
        ));
    };
    let (mut facts, mut errors) = (Facts::default(), Vec::new());
    for (name, value) in &members {
        if let Err(message) = member(&mut facts, name, value) {
            let name: String = name.chars().take(64).collect();
            errors.push(json!({ "severity": "error", "path": name, "message": message }));
        }
    }
    match errors.is_empty() {
        true => Ok(facts),
        false => Err(Problem::invalid("the facts cannot be read", errors)),
    }
}

/// The facts as a query, of which at least one must be known.
pub(super) fn query(facts: &Facts) -> Result<Query<'_>, Problem> {
    facts
        .query()
        .map_err(|error| Problem::bad(error.to_string()))
}

fn member(facts: &mut Facts, name: &str, value: &Value) -> Result<(), String> {
    match (name, value) {
        (_, Value::Null) if TEXTS.contains(&name) || OTHERS.contains(&name) => {}
        (name, Value::String(text)) if TEXTS.contains(&name) => put(facts, name, text),
        (name, _) if TEXTS.contains(&name) => return Err("must be a text".to_owned()),
        ("attributes", Value::Object(members)) => {
            for (name, value) in members {
                let Value::String(text) = value else {
                    let name: String = name.chars().take(64).collect();
                    return Err(format!("attribute {name:?} must be a text"));
                };
                facts
                    .attributes
                    .insert(name.as_str().into(), text.as_str().into());
            }
        }
        ("attributes", _) => return Err("must be an object of texts".to_owned()),
        ("cost", cost) => {
            let cost = cost.as_u64().ok_or("must be a whole number from 0")?;
            facts.cost = Some(Cost::new(cost));
        }
        ("scope", Value::String(scope)) => {
            facts.scope = Some(scope.parse().map_err(|error| format!("{error}"))?);
        }
        ("scope", _) => return Err("must be a text".to_owned()),
        ("request_id", _) => {}
        _ => {
            let known = TEXTS.iter().chain(&OTHERS).copied();
            let known = known.collect::<Vec<_>>().join(", ");
            return Err(format!("is unknown: known are {known}"));
        }
    }
    Ok(())
}

fn put(facts: &mut Facts, name: &str, text: &str) {
    let fact = match name {
        "user_id" => &mut facts.user,
        "org_id" => &mut facts.org,
        "api_key" => &mut facts.api_key,
        "ip" => &mut facts.ip,
        "tier" => &mut facts.tier,
        "endpoint" => &mut facts.endpoint,
        "method" => &mut facts.method,
        _ => &mut facts.region,
    };
    *fact = Some(text.into());
}
