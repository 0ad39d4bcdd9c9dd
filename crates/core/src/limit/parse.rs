//! Limits as text: `100/min`, `5/30s`.

use std::{fmt, str::FromStr};

use super::{Limit, nearest};
use crate::{LimitError, Period, Unit};

/// Longer than any limit can be written; what is longer is not read.
const TEXT_BYTES_MAX: usize = 64;

/// Reads amount and period. The burst and the algorithm are given apart, with
/// [`Limit::with_burst`] and [`Limit::with_algorithm`].
impl FromStr for Limit {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, LimitError> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(LimitError::TextTooLong { bytes: text.len(), max: TEXT_BYTES_MAX });
        }
        let Some((amount, period)) = text.split_once('/') else {
            return Err(LimitError::MissingPeriod { text: text.to_owned() });
        };
        let amount = number(amount).ok_or_else(|| LimitError::Amount {
            given: amount.to_owned(),
            text: text.to_owned(),
        })?;
        Self::new(amount, parse_period(period, text)?)
    }
}

fn parse_period(period: &str, text: &str) -> Result<Period, LimitError> {
    let digits = period.len().saturating_sub(period.trim_start_matches(is_digit).len());
    let (count, unit) = period.split_at(digits);
    if unit.is_empty() {
        let (given, text) = (period.to_owned(), text.to_owned());
        return Err(LimitError::MissingUnit { given, text });
    }
    let Some(unit) = Unit::ALL.into_iter().find(|known| known.symbol() == unit) else {
        let nearest = nearest_unit(unit);
        let (given, text) = (unit.to_owned(), text.to_owned());
        return Err(LimitError::UnknownUnit { given, nearest, text });
    };
    if count.is_empty() {
        return Period::new(1, unit);
    }
    let too_long = || LimitError::PeriodTooLong { given: period.to_owned() };
    Period::new(number(count).ok_or_else(too_long)?, unit)
}

/// Digits only: no sign, no blanks, no separators.
fn number(digits: &str) -> Option<u64> {
    if digits.starts_with(is_digit) { digits.parse().ok() } else { None }
}

fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

fn nearest_unit(given: &str) -> &'static str {
    let nearest = || nearest(given, Unit::ALL.map(Unit::symbol));
    meant_unit(given).unwrap_or_else(nearest)
}

/// Other spellings of a unit are nearer in meaning than in letters.
fn meant_unit(given: &str) -> Option<&'static str> {
    let given = given.to_lowercase();
    let symbol = match given.as_str() {
        "sec" | "secs" | "second" | "seconds" => "s",
        "m" | "mins" | "minute" | "minutes" => "min",
        "hr" | "hrs" | "hour" | "hours" => "h",
        "d" | "days" => "day",
        "w" | "weeks" => "week",
        "mo" | "mon" | "months" => "month",
        "milli" | "millis" | "millisecond" | "milliseconds" => "ms",
        other => {
            let mut known = Unit::ALL.into_iter().map(Unit::symbol);
            return known.find(|symbol| *symbol == other);
        }
    };
    Some(symbol)
}

/// `5/min` of `5 per minute`, `5/30s` of `5 requests every 30 seconds`: what a limit in words is written as.
pub(crate) fn meant_limit(words: &str) -> Option<Limit> {
    let mut words = words.split_whitespace().peekable();
    let amount = words.next()?;
    words.next_if(|word| matches!(*word, "request" | "requests" | "req" | "reqs"));
    words.next_if(|word| matches!(*word, "per" | "a" | "an" | "each" | "every" | "in"))?;
    let count = words.next_if(|word| number(word).is_some()).unwrap_or("");
    let unit = meant_unit(words.next()?)?;
    let is_whole = words.next().is_none();
    let written = is_whole.then(|| format!("{amount}/{count}{unit}"))?;
    written.parse().ok()
}

/// Prints what [`Limit::from_str`] reads.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.amount(), self.period())
    }
}
