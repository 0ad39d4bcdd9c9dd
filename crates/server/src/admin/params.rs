//! What is given in the query, held against what a route takes.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    form::span_of,
    problem::Problem,
    route::{Kind, Place, Route},
};

/// Values by name, each of its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Params {
    given: BTreeMap<String, String>,
}

/// The most parameters of one request.
const PARAMS_MAX: usize = 128;
/// The longest wait for other nodes.
const SPAN_MAX: Duration = Duration::from_secs(60);

impl Params {
    /// What was given, if all of it is known and of its kind; otherwise everything that is wrong.
    pub(super) fn read(
        route: &Route,
        given: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, Problem> {
        let (mut params, mut errors) = (Self::default(), Vec::new());
        for (name, value) in given.into_iter().take(PARAMS_MAX) {
            let name = one_spelling(name);
            let known = shown(&name);
            let message = match (check(route, &name, &value), params.given.entry(name)) {
                (Err(message), _) => message,
                (Ok(()), Entry::Occupied(_)) => "is given twice".to_owned(),
                (Ok(()), Entry::Vacant(place)) => {
                    place.insert(value);
                    continue;
                }
            };
            errors.push(json!({ "parameter": known, "message": message }));
        }
        match errors.as_slice() {
            [] => Ok(params),
            [one] => {
                let word = |name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default();
                let detail = format!("parameter {}: {}", word("parameter"), word("message"));
                Err(Problem::bad(detail).with("errors", errors))
            }
            _ => {
                let detail = format!("{} parameters are wrong", errors.len());
                Err(Problem::bad(detail).with("errors", errors))
            }
        }
    }

    /// What is in the path.
    pub(super) fn put(&mut self, name: &str, value: &str) {
        self.given.insert(name.to_owned(), value.to_owned());
    }

    /// A text; an empty one is none.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let value = self.given.get(name).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }

    /// A truth.
    pub(super) fn truth(&self, name: &str) -> Option<bool> {
        self.text(name)?.parse().ok()
    }

    /// A whole number.
    pub(super) fn whole(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// A length of time.
    pub(super) fn span(&self, name: &str) -> Option<Duration> {
        span(self.text(name)?)
    }

    /// A length of time that may be days.
    pub(super) fn long_span(&self, name: &str) -> Option<Duration> {
        span_of(self.text(name)?)
    }

    /// Texts that share a beginning: `attributes.` for example.
    pub(super) fn texts(&self, name: &str) -> impl Iterator<Item = (&str, &str)> {
        let all = self.given.iter();
        all.filter_map(move |(given, value)| {
            let rest = given.strip_prefix(name)?.strip_prefix('.')?;
            Some((rest, value.as_str()))
        })
    }
}

/// `attributes[plan]` is `attributes.plan`.
fn one_spelling(name: String) -> String {
    match name.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
        Some((group, member)) => format!("{group}.{member}"),
        None => name,
    }
}

fn check(route: &Route, name: &str, value: &str) -> Result<(), String> {
    let known = || route.params(Place::Query);
    let group = name.split_once('.').map(|(group, _)| group);
    let param = known().find(|param| match param.kind {
        Kind::Texts => group == Some(param.name),
        _ => param.name == name,
    });
    let Some(param) = param else {
        let names: Vec<&str> = known().map(|param| param.name).collect();
        return Err(match names.as_slice() {
            [] => "is unknown: none is taken here".to_owned(),
            names => format!("is unknown: known are {}", names.join(", ")),
        });
    };
    fits(param.kind, value)
}

fn fits(kind: Kind, value: &str) -> Result<(), String> {
    let is_fine = match kind {
        Kind::Text(bytes_max) => value.len() <= bytes_max,
        Kind::Texts => true,
        Kind::Truth => matches!(value, "true" | "false"),
        Kind::Whole(min, max) => {
            let number = value.parse::<u64>();
            number.is_ok_and(|number| (min..=max).contains(&number))
        }
        Kind::Word(words) => words.contains(&value),
        Kind::Span => span(value).is_some(),
        Kind::LongSpan => value == "0s" || span_of(value).is_some(),
    };
    if is_fine {
        return Ok(());
    }
    Err(match kind {
        Kind::Text(bytes_max) => format!("is longer than {bytes_max} bytes"),
        Kind::Truth => "must be true or false".to_owned(),
        Kind::Whole(min, max) => format!("must be a whole number from {min} to {max}"),
        Kind::Word(words) => format!("must be one of {}", words.join(", ")),
        Kind::Span => "must be a time of at most 60 s, for example 500ms, 5s or 1min".to_owned(),
        Kind::LongSpan => {
            "must be a span with its unit s, min, h, day or week, for example 24h".to_owned()
        }
        Kind::Texts => "is not a text".to_owned(),
    })
}

/// `500ms`, `5s`, `1min`, or seconds alone.
fn span(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let number: u64 = number.parse().ok()?;
    let span = match unit {
        "ms" => Duration::from_millis(number),
        "s" | "" => Duration::from_secs(number),
        "min" => Duration::from_secs(number.checked_mul(60)?),
        _ => return None,
    };
    (span <= SPAN_MAX).then_some(span)
}

/// Enough of a name to recognise it.
fn shown(name: &str) -> Value {
    name.chars().take(64).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_their_units_and_bounded() {
        let read = ["500ms", "5s", "5", "1min"].map(span);
        let millis = [500, 5_000, 5_000, 60_000].map(|ms| Some(Duration::from_millis(ms)));
        assert_eq!(read, millis);
        for wrong in ["", "s", "61s", "2min", "5h", "-1s", "99999999999999999999", "5 s"] {
            assert_eq!(span(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_member_of_a_group_has_two_spellings() {
        for name in ["attributes.plan", "attributes[plan]"] {
            assert_eq!(one_spelling(name.to_owned()), "attributes.plan");
        }
        assert_eq!(one_spelling("limit".to_owned()), "limit");
        assert_eq!(one_spelling("]".to_owned()), "]");
    }
}
