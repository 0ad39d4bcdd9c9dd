//! Single values.

use std::{fmt::Display, ops::RangeInclusive, str::FromStr, sync::Arc};

use super::super::{
    findings::{Finding, Findings},
    tree::{Node, Style, Value},
};
use crate::{nearest::did_you_mean, normalise};

/// A text, written plainly or in quotes.
pub(super) fn text<'n>(node: &'n Node<'_>, what: &str, findings: &mut Findings) -> Option<&'n str> {
    match &node.value {
        Value::Text(text, _) => Some(text),
        Value::Nothing => {
            let finding = Finding::error(node.span, format!("{what} has no value"));
            findings.push(finding.help("give it one, or remove the field"));
            None
        }
        _ => {
            let message = format!("{what} must be a text, not {}", node.kind());
            let finding = Finding::error(node.head(), message);
            findings.push(finding.help("one value is allowed here"));
            None
        }
    }
}

/// A text that is one of the model's own values.
pub(super) fn parsed<T: FromStr<Err: Display>>(
    node: &Node<'_>,
    what: &str,
    findings: &mut Findings,
) -> Option<T> {
    let text = text(node, what, findings)?;
    text.parse()
        .map_err(|error: T::Err| findings.error(node.span, error.to_string()))
        .ok()
}

/// A text that is one of some words.
pub(super) fn word<T: Copy>(
    node: &Node<'_>,
    what: &str,
    words: &[(&'static str, T)],
    findings: &mut Findings,
) -> Option<T> {
    let given = text(node, what, findings)?;
    let known = words.iter().find(|(word, _)| *word == given);
    if known.is_none() {
        let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let given: String = given.chars().take(64).collect();
        let message = match all.as_slice() {
            [others @ .., last] => {
                format!("{what} is {} or {last}, not {given:?}", others.join(", "))
            }
            [] => format!("{what} is not {given:?}"),
        };
        let mut finding = Finding::error(node.span, message);
        finding.help = did_you_mean(&given, all);
        findings.push(finding);
    }
    known.map(|(_, value)| *value)
}

/// `true` or `false`.
pub(super) fn truth(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<bool> {
    match &node.value {
        Value::Text(text, Style::Plain) if text == "true" => Some(true),
        Value::Text(text, Style::Plain) if text == "false" => Some(false),
        _ => {
            let finding = Finding::error(node.head(), format!("{what} must be true or false"));
            findings.push(finding.help("write true or false, without quotes"));
            None
        }
    }
}

/// A whole number within a range.
pub(super) fn whole<T>(
    node: &Node<'_>,
    what: &str,
    range: RangeInclusive<T>,
    findings: &mut Findings,
) -> Option<T>
where
    T: FromStr + PartialOrd + Display,
{
    if matches!(node.value, Value::Nothing) {
        return text(node, what, findings).and(None);
    }
    let (least, most) = (range.start(), range.end());
    let message = format!("{what} must be a whole number from {least} to {most}");
    let finding = Finding::error(node.head(), message);
    match &node.value {
        Value::Text(digits, style) => match digits.parse() {
            Ok(_) if *style == Style::Quoted => {
                findings.push(finding.help("remove the quotes"));
                None
            }
            Ok(number) if range.contains(&number) && is_plain(digits) => Some(number),
            _ => {
                findings.push(finding);
                None
            }
        },
        _ => {
            findings.push(finding);
            None
        }
    }
}

/// Not `+5`, not `007`: one spelling for every number.
fn is_plain(digits: &str) -> bool {
    let digits = digits.strip_prefix('-').unwrap_or(digits);
    !digits.starts_with('+') && (digits == "0" || !digits.starts_with('0'))
}

/// `80%`.
pub(super) fn percent(
    node: &Node<'_>,
    what: &str,
    range: RangeInclusive<u16>,
    findings: &mut Findings,
) -> Option<u16> {
    let given = text(node, what, findings)?;
    let number = given.strip_suffix('%').filter(|number| is_plain(number));
    let number = number.and_then(|number| number.parse().ok());
    let number = number.filter(|number| range.contains(number));
    if number.is_none() {
        let (least, most) = (range.start(), range.end());
        let given: String = given.chars().take(64).collect();
        let message = format!("{what} is a percentage from {least}% to {most}%, not {given:?}");
        findings.push(Finding::error(node.span, message).help("write for example 100%"));
    }
    number
}

/// An identifier as a request's facts are: no blanks around it, not empty.
pub(super) fn identifier(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<Arc<str>> {
    let given = text(node, what, findings)?;
    match normalise::identifier(given) {
        Ok(Some(value)) => Some(value.into()),
        Ok(None) => {
            let finding = Finding::error(node.span, format!("{what} is empty"));
            findings.push(finding.help("an empty text is a missing fact, which nothing equals"));
            None
        }
        Err(error) => {
            findings.error(node.span, format!("{what} {error}"));
            None
        }
    }
}

/// The beginning or end of an identifier: blanks in it count.
pub(super) fn part(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<Arc<str>> {
    let given = text(node, what, findings)?;
    let max = normalise::IDENTIFIER_BYTES_MAX;
    let wrong = if given.is_empty() {
        format!("{what} is empty: every text has it")
    } else if given.len() > max {
        format!(
            "{what} has {} bytes, at most {max} are allowed",
            given.len()
        )
    } else if given.contains(normalise::is_control_or_bidi) {
        format!("{what} holds a control character")
    } else {
        return Some(given.into());
    };
    findings.error(node.span, wrong);
    None
}

/// The longest owner or reason.
const NOTE_BYTES_MAX: usize = 1_000;

/// A text for people: an owner, a reason.
pub(super) fn note(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<Arc<str>> {
    prose(node, what, NOTE_BYTES_MAX, findings)
}

/// A text for people, of at most `max` bytes; line ends and tabs are the only controls.
pub(super) fn prose(
    node: &Node<'_>,
    what: &str,
    max: usize,
    findings: &mut Findings,
) -> Option<Arc<str>> {
    let given = text(node, what, findings)?;
    let is_control = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    let wrong = if given.trim().is_empty() {
        format!("{what} is empty: give it words, or remove the field")
    } else if given.len() > max {
        format!(
            "{what} has {} bytes, at most {max} are allowed",
            given.len()
        )
    } else if given.contains(is_control) {
        format!("{what} holds a control character")
    } else {
        return Some(given.into());
    };
    findings.error(node.span, wrong);
    None
}
