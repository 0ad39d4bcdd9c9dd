//! Whatever bytes a client put into a header, as text that can be counted by.

use std::borrow::Cow;

use tollgate_rules::normalise::{IDENTIFIER_BYTES_MAX, is_control_or_bidi};

/// As text. What is none is replaced and not refused: Envoy lets pass what it gets no answer to.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes);
    if text.contains(is_control_or_bidi) {
        let plain = |letter: char| match letter {
            letter if is_control_or_bidi(letter) => char::REPLACEMENT_CHARACTER,
            letter => letter,
        };
        return Cow::Owned(text.chars().map(plain).collect());
    }
    text
}

/// So much of a text as an identifier may have. A longer one is counted by its beginning.
pub(super) fn beginning(text: &str) -> &str {
    let text = text.trim_ascii();
    let end = text.floor_char_boundary(IDENTIFIER_BYTES_MAX);
    text.get(..end).unwrap_or_default().trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_as_it_is() {
        assert!(matches!(text("grüße".as_bytes()), Cow::Borrowed("grüße")));
        assert_eq!(beginning(" alice "), "alice");
    }

    #[test]
    fn other_bytes_are_replaced() {
        assert_eq!(text(b"a\xffb\tc"), "a\u{fffd}b\u{fffd}c");
        // An identifier may not hold them, and what is refused Envoy lets pass.
        for steering in ["\u{9b}", "\u{202e}", "\u{2028}", "\u{61c}"] {
            assert_eq!(text(format!("a{steering}").as_bytes()), "a\u{fffd}");
        }
    }

    #[test]
    fn what_is_too_long_is_cut_between_letters() {
        let long = format!("{}ß", "x".repeat(IDENTIFIER_BYTES_MAX - 1));
        assert_eq!(beginning(&long).len(), IDENTIFIER_BYTES_MAX - 1);
    }
}
