//! What is bound to a statement.

use tollgate_core::Timestamp;

/// A bound value. Nothing has a type, since PostgreSQL wants to know which column a null is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Int(Option<i64>),
    Text(Option<String>),
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(Some(number))
    }
}

/// A moment fits: it ends in 56 bits.
impl From<Timestamp> for Value {
    fn from(moment: Timestamp) -> Self {
        Self::Int(Some(i64::try_from(moment.as_micros()).unwrap_or(i64::MAX)))
    }
}

impl From<Option<Timestamp>> for Value {
    fn from(moment: Option<Timestamp>) -> Self {
        moment.map_or(Self::Int(None), Self::from)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(Some(text))
    }
}

impl From<Option<&str>> for Value {
    fn from(text: Option<&str>) -> Self {
        Self::Text(text.map(str::to_owned))
    }
}

/// A list of values of different types.
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        vec![$($crate::sql::Value::from($value)),*]
    };
}
pub(crate) use values;
