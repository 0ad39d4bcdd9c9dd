//! What our scripts reply.

use redis::Value;
use tollgate_core::{Now, Timestamp};

/// The reply of a script; see decide.lua.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) now: Now,
    pub(super) word: String,
    /// The states that were found.
    pub(super) states: Vec<Option<String>>,
    /// What this node has taken of each counter in all, if something was decided.
    pub(super) totals: Vec<u64>,
    /// The key that is not ours, from 0.
    pub(super) foreign: Option<usize>,
}

impl Reply {
    /// `None` if no script of ours replies like this.
    pub(super) fn read(value: Value, keys: usize) -> Option<Self> {
        let Value::Array(values) = value else {
            return None;
        };
        let mut values = values.into_iter();
        let wall = text(values.next()?)?.parse().ok()?;
        let steady = text(values.next()?)?.parse().ok()?;
        let now =
            Now { wall: Timestamp::from_micros(wall), steady: Timestamp::from_micros(steady) };
        let word = text(values.next()?)?;
        if word == "foreign" {
            let Value::Int(place) = values.next()? else {
                return None;
            };
            let foreign = usize::try_from(place).ok()?.checked_sub(1)?;
            return Some(Self {
                now,
                word,
                states: Vec::new(),
                totals: Vec::new(),
                foreign: Some(foreign),
            });
        }
        let states = values.by_ref().take(keys).map(text).collect();
        let totals = values.filter_map(|total| text(total)?.parse().ok());
        Some(Self { now, word, states, totals: totals.collect(), foreign: None })
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        // What is no text is no state of ours; it is read as one of nobody.
        Value::BulkString(bytes) => {
            Some(String::from_utf8(bytes).unwrap_or_else(|_| "?".to_owned()))
        }
        Value::SimpleString(text) => Some(text),
        Value::Int(number) => Some(number.to_string()),
        _ => None,
    }
}
