//! What is to be written, before it is JSON or YAML. Fields keep the order a person would write them in.

use serde_json::{Map, Number, Value};

/// A value with its fields in order.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Text(String),
    Number(Number),
    Truth(bool),
    List(Vec<Self>),
    Map(Fields),
}

pub(super) type Fields = Vec<(String, Shape)>;

impl Shape {
    pub(super) fn text(text: &(impl ToString + ?Sized)) -> Self {
        Self::Text(text.to_string())
    }

    pub(super) fn number(number: impl Into<Number>) -> Self {
        Self::Number(number.into())
    }

    /// One text by itself, several in a list.
    pub(super) fn one_or_many<T: ToString>(values: &[T]) -> Self {
        match values {
            [one] => Self::text(one),
            many => Self::texts(many),
        }
    }

    pub(super) fn texts<T: ToString>(values: &[T]) -> Self {
        Self::List(values.iter().map(Self::text).collect())
    }

    pub(super) fn json(self) -> Value {
        match self {
            Self::Text(text) => Value::String(text),
            Self::Number(number) => Value::Number(number),
            Self::Truth(truth) => Value::Bool(truth),
            Self::List(items) => Value::Array(items.into_iter().map(Self::json).collect()),
            Self::Map(fields) => {
                let fields = fields.into_iter().map(|(name, value)| (name, value.json()));
                Value::Object(fields.collect::<Map<String, Value>>())
            }
        }
    }
}

/// Adds a field.
pub(super) fn put(fields: &mut Fields, name: &str, value: Shape) {
    fields.push((name.to_owned(), value));
}
