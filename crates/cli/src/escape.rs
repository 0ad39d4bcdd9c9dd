//! Characters that would steer the terminal, written so that they are seen.
//!
//! Names that clients chose before they were refused may still be stored, and other servers' messages are not ours.

use std::borrow::Cow;

use tollgate_rules::normalise::is_control_or_bidi;

/// Lines for people: only line ends and tabs stay.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    replaced(text, |letter| !matches!(letter, '\n' | '\t'), rust)
}

/// A cell of a table, which is one line.
pub(crate) fn cell(text: &str) -> Cow<'_, str> {
    replaced(text, |_| true, rust)
}

/// JSON that is written already: what is left of such characters stands in its strings, but for the line ends.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    replaced(text, |letter| letter != '\n', |letter| format!("\\u{:04x}", u32::from(letter)))
}

fn rust(letter: char) -> String {
    letter.escape_unicode().to_string()
}

fn replaced(
    text: &str,
    is_meant: impl Fn(char) -> bool,
    escape: impl Fn(char) -> String,
) -> Cow<'_, str> {
    let is_steering = |letter: char| is_control_or_bidi(letter) && is_meant(letter);
    if !text.contains(is_steering) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_steering(letter) {
            out.push_str(&escape(letter));
        } else {
            out.push(letter);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    #[test]
    fn what_steers_a_terminal_is_seen_instead() {
        let text = "a\u{9b}31m\u{202e}b\u{2028}c\u{1b}[0m\td\n";
        let seen = "a\\u{9b}31m\\u{202e}b\\u{2028}c\\u{1b}[0m\td\n";
        assert_eq!(super::lines(text), seen);
        assert_eq!(super::cell("a\n\u{61c}b"), "a\\u{a}\\u{61c}b");
        assert_eq!(super::cell("grüße 🦀"), "grüße 🦀");
    }

    #[test]
    fn json_says_the_same_in_plain_letters() {
        let value = json!({ "user\u{200f}": "a\u{9b}\u{202e}\u{2029}\u{7f}\n\tb", "list": ["é"] });
        let written = format!("{value:#}\n");
        let escaped = super::json(&written);
        let steers =
            |letter: char| tollgate_rules::normalise::is_control_or_bidi(letter) && letter != '\n';
        assert!(!escaped.contains(steers), "{escaped:?}");
        assert_eq!(serde_json::from_str::<Value>(&escaped).unwrap(), value);
    }
}
