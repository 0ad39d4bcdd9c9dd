//! Where a page ended, as a text that clients hand back and do not read.

use std::fmt::Write as _;

use super::problem::Problem;

/// A text in hexadecimal, with a word in front that tells the lists apart.
pub(super) fn written(list: &str, place: &str) -> String {
    let mut out = String::new();
    for byte in format!("{list}:{place}").bytes() {
        // Writing to a text cannot fail.
        write!(out, "{byte:02x}").unwrap_or_default();
    }
    out
}

/// The place that was written, if it is one of this list.
pub(super) fn read(list: &str, cursor: &str) -> Result<String, Problem> {
    let bytes = cursor.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        u8::from_str_radix(pair, 16).ok()
    });
    let bytes: Option<Vec<u8>> = bytes.collect();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let place = text.and_then(|text| {
        let place = text.strip_prefix(list)?.strip_prefix(':')?;
        Some(place.to_owned())
    });
    place.ok_or_else(bad)
}

/// A cursor that none of our answers held.
pub(super) fn bad() -> Problem {
    Problem::bad("cursor is not one of this list: take next_cursor of the page before, unchanged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_comes_back_to_its_own_list_only() {
        let cursor = written("rules", "team/login");
        assert_eq!(read("rules", &cursor).unwrap(), "team/login");
        for (list, wrong) in [
            ("overrides", cursor.as_str()),
            ("rules", "zz"),
            ("rules", "abc"),
            ("rules", "é"),
            ("rules", ""),
        ] {
            assert!(read(list, wrong).is_err(), "{wrong:?}");
        }
    }
}
