//! YAML as an editor sees it: texts, numbers, truths and nulls by the rules of YAML 1.2.

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// The document, or `None` if it is not YAML, or not one document with plain names.
pub(crate) fn value(text: &str) -> Option<Value> {
    let mut stack: Vec<(usize, Vec<Value>)> = vec![(0, vec![])];
    let mut anchors: HashMap<usize, Value> = HashMap::new();
    let mut room = 100_000; // an alias of aliases grows without end
    for event in Parser::new_from_str(text) {
        let (anchor, value) = match event.ok()?.0 {
            Event::Scalar(text, style, anchor, _) => (anchor, scalar(&text, style)),
            Event::Alias(id) => {
                let value = anchors.get(&id)?;
                room = usize::checked_sub(room, size(value))?;
                (0, value.clone())
            }
            Event::SequenceStart(_, anchor, _) | Event::MappingStart(_, anchor, _) => {
                stack.push((anchor, vec![]));
                continue;
            }
            Event::SequenceEnd => {
                let (anchor, items) = stack.pop()?;
                (anchor, Value::Array(items))
            }
            Event::MappingEnd => {
                let (anchor, flat) = stack.pop()?;
                (anchor, mapping(flat)?)
            }
            _ => continue,
        };
        if anchor > 0 {
            anchors.insert(anchor, value.clone());
        }
        stack.last_mut()?.1.push(value);
    }
    let (_, documents) = stack.pop()?;
    match documents.len() {
        0 => Some(Value::Null),
        1 => documents.into_iter().next(),
        _ => None,
    }
}

fn size(value: &Value) -> usize {
    let inner: usize = match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(fields) => fields.values().map(size).sum(),
        _ => 0,
    };
    inner + 1
}

fn mapping(flat: Vec<Value>) -> Option<Value> {
    let mut fields = Map::new();
    let mut flat = flat.into_iter();
    while let (Some(name), Some(value)) = (flat.next(), flat.next()) {
        let name = name.as_str().map_or_else(|| name.to_string(), str::to_owned);
        if fields.insert(name, value).is_some() {
            return None;
        }
    }
    Some(Value::Object(fields))
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    match text {
        _ if style != ScalarStyle::Plain => text.into(),
        "~" | "" | "null" => Value::Null,
        "true" => true.into(),
        "false" => false.into(),
        number => {
            let whole = number.parse::<i64>().map(Value::from);
            let whole = whole.or_else(|_| number.parse::<u64>().map(Value::from));
            let is_float = number.contains('.')
                && number.bytes().all(|byte| b"+-.0123456789e".contains(&byte));
            let float = number.parse::<f64>().ok().filter(|_| is_float).map(Value::from);
            whole.ok().or(float).unwrap_or_else(|| text.into())
        }
    }
}
