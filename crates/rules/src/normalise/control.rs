//! Characters that steer whatever shows a text instead of being shown.

/// Whether a character steers a terminal, an editor or a browser: controls (C0, DEL and C1, which begin
/// terminal commands), line and paragraph separators, and marks that turn the direction of writing, by which
/// one name looks like another. Names that clients choose hold none of them, and what is printed escapes them.
///
/// ```
/// use tollgate_rules::normalise::is_control_or_bidi;
///
/// assert!("\0\n\u{7f}\u{9b}\u{202e}\u{2028}".chars().all(is_control_or_bidi));
/// assert!(!"a é 🦀 שלום".contains(is_control_or_bidi));
/// ```
pub const fn is_control_or_bidi(letter: char) -> bool {
    matches!(letter,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::is_control_or_bidi;

    #[test]
    fn every_control_and_nothing_else_but_the_marks_is_one() {
        let marks = "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\
            \u{2066}\u{2067}\u{2068}\u{2069}";
        for letter in '\0'..=char::MAX {
            let expected = letter.is_control() || marks.contains(letter);
            assert_eq!(is_control_or_bidi(letter), expected, "{letter:?}");
        }
    }
}
