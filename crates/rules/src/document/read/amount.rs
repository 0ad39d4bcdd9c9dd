//! Lengths of time and moments.

use jiff::Timestamp as Moment;
use tollgate_core::{Micros, Timestamp};

use super::{
    super::{
        findings::{Finding, Findings},
        tree::Node,
    },
    scalar,
};

const UNITS: [(&str, u64); 6] = [
    ("us", 1),
    ("ms", 1_000),
    ("s", 1_000_000),
    ("min", 60_000_000),
    ("h", 3_600_000_000),
    ("day", 86_400_000_000),
];

/// The longest length of time in a test: a hundred years.
const LENGTH_MAX: u64 = 100 * 366 * 86_400_000_000;

/// A length of time: `42s`.
pub(super) fn length(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<Micros> {
    let given = scalar::text(node, what, findings)?;
    let length = micros(given).filter(|&length| length <= LENGTH_MAX);
    if length.is_none() {
        let given: String = given.chars().take(64).collect();
        let finding = Finding::error(
            node.span,
            format!("{what} {given:?} is not a length of time"),
        );
        findings.push(finding.help("write a whole number and us, ms, s, min, h or day: 42s"));
    }
    length.map(Micros::new)
}

fn micros(text: &str) -> Option<u64> {
    let unit = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
    if number == 0 && unit.is_empty() {
        return Some(0);
    }
    let (_, size) = UNITS.iter().find(|(known, _)| *known == unit)?;
    number.checked_mul(*size)
}

/// A moment: `2027-01-01T00:00:00Z`.
pub(super) fn moment(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<Timestamp> {
    let given = scalar::text(node, what, findings)?;
    let moment = given.parse().ok().and_then(|moment: Moment| {
        let micros = u64::try_from(moment.as_microsecond()).ok()?;
        (micros <= Timestamp::MAX.as_micros()).then(|| Timestamp::from_micros(micros))
    });
    if moment.is_none() {
        let given: String = given.chars().take(64).collect();
        let message = format!("{what} {given:?} is not a moment from 1970 to 4252");
        let finding = Finding::error(node.span, message);
        findings.push(finding.help("write date, time and zone: 2027-01-01T00:00:00Z"));
    }
    moment
}

/// A moment as it is read.
pub(in crate::document) fn written(moment: Timestamp) -> String {
    let micros = i64::try_from(moment.as_micros()).unwrap_or(i64::MAX);
    Moment::from_microsecond(micros).map_or_else(|_| String::new(), |moment| moment.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_a_unit() {
        assert_eq!(micros("0"), Some(0));
        assert_eq!(micros("42s"), Some(42_000_000));
        assert_eq!(micros("3min"), Some(180_000_000));
        for wrong in [
            "",
            "s",
            "42",
            "4.2s",
            "-1s",
            "42 s",
            "99999999999999999999s",
            "1week",
        ] {
            assert_eq!(micros(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_last_moment_is_written_and_read() {
        let text = written(Timestamp::MAX);
        assert!(text.starts_with("4253-"), "{text}");
    }
}
