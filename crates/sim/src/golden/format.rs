//! The text of a worked example, written and read.

use std::{error::Error, fmt, fmt::Write, str::FromStr};

use tollgate_core::{Band, Bands, Cost, Limit, Micros, Timestamp};

use super::vector::{Act, Step, Vector};
use crate::model::ModelAnswer;

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    file: &'static str,
    line: usize,
    text: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, text } = self;
        write!(f, "golden/{file}.txt, line {line}: cannot read `{text}`")
    }
}

impl Error for FormatError {}

/// Reads a whole file: every `start` begins another story.
pub(super) fn parse(file: &'static str, text: &str) -> Result<Vec<Vector>, FormatError> {
    let mut vectors: Vec<Vector> = Vec::new();
    let mut start = None;
    for (index, text) in text.lines().enumerate() {
        let line = index + 1;
        let words: Vec<&str> = text.split_whitespace().collect();
        let read = match (words.as_slice(), start, vectors.last_mut()) {
            ([] | ["#", ..], _, _) => Some(()),
            (["start", micros], None, _) => number(micros).map(|micros| {
                start = Some(Timestamp::from_micros(micros));
            }),
            (["limit", words @ ..], Some(at), _) => parse_limit(words).map(|limit| {
                start = None;
                vectors.push(Vector::new(file, at, limit));
            }),
            (["limit", words @ ..], None, Some(vector)) => parse_limit(words).map(|limit| {
                vector.steps.push(Step::replace(line, limit));
            }),
            (words, None, Some(vector)) => parse_step(line, words).map(|step| {
                vector.steps.push(step);
            }),
            _ => None,
        };
        read.ok_or_else(|| FormatError { file, line, text: text.to_owned() })?;
    }
    Ok(vectors)
}

fn parse_step(line: usize, words: &[&str]) -> Option<Step> {
    let [elapsed, wall_step, act @ ..] = words else {
        return None;
    };
    let act = match act {
        ["refund", cost] => Act::Refund { cost: Cost::new(number(cost)?) },
        [cost, "=>", answer @ ..] => {
            Act::Charge { cost: Cost::new(number(cost)?), answer: parse_answer(answer)? }
        }
        _ => return None,
    };
    Some(Step {
        line,
        elapsed: Micros::new(number(elapsed.strip_prefix('+')?)?),
        wall_step_micros: number(wall_step)?,
        act,
    })
}

fn parse_answer(words: &[&str]) -> Option<ModelAnswer> {
    let [outcome, remaining, reset, retry, delay, band] = words else {
        return None;
    };
    let band = BANDS.into_iter().find(|(_, word)| word == band)?.0;
    let retry_after = match *retry {
        "-" => None,
        micros => Some(Micros::new(number(micros)?)),
    };
    let answer = ModelAnswer {
        allowed: *outcome == "allow",
        remaining: number(remaining)?,
        reset_after: Micros::new(number(reset)?),
        retry_after,
        delay: Micros::new(number(delay)?),
        band,
    };
    (answer.allowed != (band == Band::Denied)).then_some(answer)
}

/// `5/s algorithm token_bucket burst 3 warn 80 hard 120`, the last three left out where usual.
fn parse_limit(words: &[&str]) -> Option<Limit> {
    let (limit, settings) = words.split_first()?;
    let mut limit: Limit = limit.parse().ok()?;
    let (mut warn_at, mut hard_at) = (limit.bands().warn_at(), limit.bands().hard_at());
    let (pairs, []) = settings.as_chunks::<2>() else {
        return None;
    };
    for [word, value] in pairs {
        match *word {
            "algorithm" => limit = limit.with_algorithm(value.parse().ok()?).ok()?,
            "burst" => limit = limit.with_burst(number(value)?).ok()?,
            "warn" => warn_at = number(value)?,
            "hard" => hard_at = number(value)?,
            _ => return None,
        }
    }
    limit.with_bands(Bands::new(warn_at, hard_at).ok()?).ok()
}

fn number<N: FromStr>(word: &str) -> Option<N> {
    word.parse().ok()
}

/// Appends the line of a limit.
pub(super) fn write_limit(out: &mut String, limit: &Limit) -> fmt::Result {
    write!(out, "limit {limit} algorithm {}", limit.algorithm())?;
    if let Some(burst) = limit.burst() {
        write!(out, " burst {burst}")?;
    }
    if limit.bands() != Bands::default() {
        let bands = limit.bands();
        write!(out, " warn {} hard {}", bands.warn_at(), bands.hard_at())?;
    }
    writeln!(out)
}

/// Appends an answer and ends its line.
pub(super) fn write_answer(out: &mut String, answer: &ModelAnswer) -> fmt::Result {
    let outcome = if answer.allowed { "allow" } else { "deny" };
    let retry = answer.retry_after;
    let retry = retry.map_or_else(|| "-".to_owned(), |wait| wait.get().to_string());
    let band = BANDS.into_iter().find(|(band, _)| *band == answer.band);
    let band = band.map_or("?", |(_, word)| word);
    let (remaining, reset) = (answer.remaining, answer.reset_after.get());
    let delay = answer.delay.get();
    writeln!(out, " => {outcome} {remaining} {reset} {retry} {delay} {band}")
}

const BANDS: [(Band, &str); 4] = [
    (Band::Normal, "normal"),
    (Band::Warn, "warn"),
    (Band::Soft, "soft"),
    (Band::Denied, "denied"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_is_named() {
        for bad in [
            "limit 5/s algorithm",
            "limit 5/s colour red",
            "+1 0 1 => allow 1 1 1 0",
            "+1 0 1 => deny 1 1 1 0 warn",
            "1 0 refund 1",
            "+1 0 refund x",
        ] {
            let error = parse("x", &format!("start 0\nlimit 5/s\n{bad}\n")).unwrap_err();
            assert_eq!(error.to_string(), format!("golden/x.txt, line 3: cannot read `{bad}`"));
        }
        assert!(parse("x", "limit 5/s\n").is_err());
        assert!(parse("x", "start 0\nstart 0\n").is_err());
    }

    #[test]
    fn limits_are_written_as_they_are_read() {
        for line in [
            "limit 5/s algorithm fixed_window\n",
            "limit 5/month algorithm sliding_window warn 50 hard 150\n",
            "limit 7/30s algorithm leaky_bucket burst 9\n",
        ] {
            let text = format!("start 0\n{line}");
            let vectors = parse("x", &text).unwrap();
            let mut written = String::new();
            write_limit(&mut written, &vectors[0].limit).unwrap();
            assert_eq!(written, line);
        }
    }
}
