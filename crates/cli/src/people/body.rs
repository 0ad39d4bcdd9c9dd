//! What is sent, and what of an answer is said.

use serde_json::{Map, Value, json};

use crate::outcome::Outcome;

/// An object of what was given; the rest is left out.
pub(super) fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let given = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(given.collect::<Map<String, Value>>())
}

/// A text, if it was given.
pub(super) fn text(given: Option<&String>) -> Option<Value> {
    given.map(|text| json!(text))
}

/// A member in words; what there is none of is `-`.
pub(super) fn word(of: &Value, name: &str) -> String {
    match of.get(name) {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) => {
            let words: Vec<String> = items.iter().map(plain).collect();
            words.join(", ")
        }
        Some(other) => other.to_string(),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `, known to 3 of 3 nodes`, if somebody was waited for.
pub(super) fn known_to(answer: &Value) -> String {
    let count = |name: &str| {
        let nodes = answer.get("nodes").and_then(|nodes| nodes.get(name));
        nodes.and_then(Value::as_array).map(Vec::len)
    };
    match (count("confirmed"), count("missing")) {
        (Some(confirmed), Some(missing)) => {
            format!(", known to {confirmed} of {} nodes", confirmed.saturating_add(missing))
        }
        _ => String::new(),
    }
}

/// 0 if every live node knows, 2 if one has not confirmed yet.
pub(super) fn settled(answer: &Value) -> Outcome {
    let nodes = answer.get("nodes").filter(|nodes| nodes.is_object());
    let is_empty = |name: &str| {
        let list = nodes.and_then(|nodes| nodes.get(name)).and_then(Value::as_array);
        list.is_none_or(Vec::is_empty)
    };
    let is_unknown = nodes.is_some_and(|nodes| nodes.get("unknown").is_some());
    if is_empty("missing") && !is_unknown { Outcome::Fine } else { Outcome::Different }
}
