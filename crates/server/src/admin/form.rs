//! A body read field by field: everything that is wrong with it is told at once, by the name of its field.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value, json};
use tollgate_core::{Micros, Timestamp};
use tollgate_rules::normalise::{identifier, is_control_or_bidi};

use super::{call::Call, problem::Problem};

/// The fields of a body.
#[derive(Debug)]
pub(super) struct Form {
    left: Map<String, Value>,
    known: Vec<&'static str>,
    errors: Vec<Value>,
}

/// What was said about a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said<T> {
    /// Nothing: it stays as it is.
    Nothing,
    /// That there is none.
    None,
    /// This.
    This(T),
}

impl<T> Said<T> {
    /// What there is, where there was nothing.
    pub(super) fn fresh(self) -> Option<T> {
        self.or(None)
    }

    /// What there is, where there was that.
    pub(super) fn or(self, before: Option<T>) -> Option<T> {
        match self {
            Self::Nothing => before,
            Self::None => None,
            Self::This(value) => Some(value),
        }
    }

    fn and_then<U>(self, read: impl FnOnce(T) -> Option<U>) -> Said<U> {
        match self {
            Self::Nothing => Said::Nothing,
            Self::None => Said::None,
            Self::This(value) => read(value).map_or(Said::None, Said::This),
        }
    }
}

/// No moment is further away: about a hundred years.
const SPAN_MAX: Duration = Duration::from_secs(36_525 * 86_400);
/// Enough of a value to recognise it.
const SHOWN_CHARS_MAX: usize = 64;

impl Form {
    /// The body of a call; one that may be left out is empty then.
    pub(super) fn read(call: &Call) -> Result<Self, Problem> {
        let body = match call.body.trim() {
            "" => Value::Object(Map::new()),
            text => serde_json::from_str(text).unwrap_or_default(),
        };
        let Value::Object(left) = body else {
            return Err(Problem::bad("the body must be an object: {\"name\": …}"));
        };
        Ok(Self { left, known: Vec::new(), errors: Vec::new() })
    }

    /// Says what is wrong with a field.
    pub(super) fn wrong(&mut self, field: &str, message: impl Into<String>) {
        let message = message.into();
        let error = json!({ "severity": "error", "path": field, "message": message });
        self.errors.push(error);
    }

    /// Says what is wrong with a field that is not there, unless something else is wrong already.
    pub(super) fn missing(&mut self, field: &str, message: &str) {
        if self.errors.is_empty() {
            self.wrong(field, message);
        }
    }

    /// A field as it is.
    pub(super) fn take(&mut self, field: &'static str) -> Said<Value> {
        self.known.push(field);
        match self.left.remove(field) {
            None => Said::Nothing,
            Some(Value::Null) => Said::None,
            Some(value) => Said::This(value),
        }
    }

    /// A text of at most so many characters; an empty one is an error.
    pub(super) fn text(&mut self, field: &'static str, chars_max: usize) -> Said<Arc<str>> {
        let said = self.take(field);
        said.and_then(|value| {
            let text = value.as_str().map(str::trim);
            let count = text.map_or(0, |text| text.chars().count());
            match text {
                Some(text)
                    if (1..=chars_max).contains(&count) && !text.contains(is_control_or_bidi) =>
                {
                    return Some(text.into());
                }
                Some("") => self.wrong(field, "must not be empty"),
                Some(_) => self.wrong(
                    field,
                    format!(
                        "must have at most {chars_max} characters, none of them a control character"
                    ),
                ),
                None => self.wrong(field, "must be a text"),
            }
            None
        })
    }

    /// The name of somebody or something, as requests may have it.
    pub(super) fn identifier(&mut self, field: &'static str) -> Said<Arc<str>> {
        let said = self.take(field);
        said.and_then(|value| {
            let read = value.as_str().map(identifier);
            match read {
                Some(Ok(Some(text))) => return Some(text.into()),
                Some(Ok(None)) => self.wrong(field, "must not be empty"),
                Some(Err(error)) => self.wrong(field, error.to_string()),
                None => self.wrong(field, "must be a text"),
            }
            None
        })
    }

    /// A whole number from 1.
    pub(super) fn count(&mut self, field: &'static str) -> Said<u64> {
        let said = self.take(field);
        said.and_then(|value| {
            let number = value.as_u64().filter(|number| *number > 0);
            if number.is_none() {
                self.wrong(field, "must be a whole number from 1");
            }
            number
        })
    }

    /// When something ends: at a moment, or after a while; not both, and not before now.
    pub(super) fn end(&mut self, at: &'static str, now: Timestamp) -> Said<Timestamp> {
        let (moment, span) = (self.take(at), self.take("ttl"));
        match (moment, span) {
            (Said::This(_), Said::This(_)) => {
                self.wrong("ttl", format!("give {at} or ttl, not both"));
                Said::Nothing
            }
            (Said::This(value), _) => {
                let read = value.as_str().and_then(moment_of);
                match read {
                    Some(moment) if moment > now => return Said::This(moment),
                    Some(_) => self.wrong(at, "is in the past: give a moment to come"),
                    None => self.wrong(
                        at,
                        "must be a moment with its offset, for example 2027-01-01T00:00:00Z",
                    ),
                }
                Said::Nothing
            }
            (_, Said::This(value)) => match value.as_str().and_then(span_of) {
                Some(span) => Said::This(now.saturating_add(Micros::from(span))),
                None => {
                    let wanted =
                        "must be a span with its unit s, min, h, day or week, for example 30day";
                    self.wrong("ttl", wanted);
                    Said::Nothing
                }
            },
            (Said::None, _) | (_, Said::None) => Said::None,
            _ => Said::Nothing,
        }
    }

    /// What must be there.
    pub(super) fn needed<T>(&mut self, field: &'static str, said: Said<T>) -> Option<T> {
        let has_error = self.errors.iter().any(|error| error.get("path") == Some(&field.into()));
        match said {
            Said::This(value) => Some(value),
            _ if has_error => None,
            _ => {
                self.wrong(field, "is missing");
                None
            }
        }
    }

    /// Whether all of it is right; what was not asked for is unknown.
    pub(super) fn done(mut self) -> Result<(), Problem> {
        let known = self.known.join(", ");
        let unknown: Vec<String> = self.left.keys().cloned().collect();
        for field in unknown {
            let field: String = field.chars().take(SHOWN_CHARS_MAX).collect();
            self.wrong(&field, format!("is unknown: known are {known}"));
        }
        let Some(first) = self.errors.first() else {
            return Ok(());
        };
        let word = |name: &str| first.get(name).and_then(Value::as_str).unwrap_or_default();
        let detail = match self.errors.len() {
            1 => format!("{} {}", word("path"), word("message")),
            count => format!(
                "{count} fields are wrong, the first of them: {} {}",
                word("path"),
                word("message")
            ),
        };
        Err(Problem::invalid(detail, self.errors))
    }
}

/// `2027-01-01T00:00:00Z`
pub(super) fn moment_of(text: &str) -> Option<Timestamp> {
    let moment: jiff::Timestamp = text.parse().ok()?;
    let micros = u64::try_from(moment.as_microsecond()).ok()?;
    Some(Timestamp::from_micros(micros))
}

/// `90s`, `15min`, `12h`, `30day`, `2week`
pub(super) fn span_of(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let number: u64 = number.parse().ok()?;
    let seconds = match unit {
        "s" => 1,
        "min" => 60,
        "h" => 3_600,
        "day" => 86_400,
        "week" => 7 * 86_400,
        _ => return None,
    };
    let span = Duration::from_secs(number.checked_mul(seconds)?);
    (!span.is_zero() && span <= SPAN_MAX).then_some(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_units_and_moments_have_offsets() {
        let day = Duration::from_secs(86_400);
        let read = ["90s", "15min", "12h", "30day", "2week"].map(span_of);
        let expected = [day / 960, day / 96, day / 2, day * 30, day * 14];
        assert_eq!(read, expected.map(Some));
        for wrong in ["", "5", "day", "0s", "-1h", "1month", "999999999day"] {
            assert_eq!(span_of(wrong), None, "{wrong:?}");
        }
        assert_eq!(moment_of("1970-01-01T00:00:01Z"), Some(Timestamp::from_secs(1)));
        assert_eq!(moment_of("1970-01-01T01:00:01+01:00"), Some(Timestamp::from_secs(1)));
        for wrong in ["", "tomorrow", "2027-01-01", "1960-01-01T00:00:00Z"] {
            assert_eq!(moment_of(wrong), None, "{wrong:?}");
        }
    }
}
