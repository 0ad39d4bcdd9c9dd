//! How a letter is shown on a terminal, and how wide that is.

/// How many columns a tab is shown as.
const TAB: &str = "    ";

/// The text to show for a letter: itself, unless it would move or hide what is around it.
pub(super) fn shown(letter: char) -> String {
    match letter {
        '\t' => TAB.to_owned(),
        '\0'..='\x1f' => picture(u32::from(letter)),
        '\x7f' => picture(0x21),
        hidden if is_hidden(hidden) => char::REPLACEMENT_CHARACTER.to_string(),
        other => other.to_string(),
    }
}

/// How many columns `shown` takes.
pub(super) fn width(letter: char) -> usize {
    match letter {
        '\t' => TAB.len(),
        marks if is_mark(marks) => 0,
        wide if is_wide(wide) => 2,
        _ => 1,
    }
}

fn picture(code: u32) -> String {
    char::from_u32(0x2400 + code)
        .unwrap_or(char::REPLACEMENT_CHARACTER)
        .to_string()
}

/// Controls beyond ASCII, invisible letters, and those that turn the direction of writing.
const fn is_hidden(letter: char) -> bool {
    matches!(letter,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Marks that stand on the letter before them.
const fn is_mark(letter: char) -> bool {
    matches!(letter,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}'
        | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{e31}' | '\u{e34}'..='\u{e3a}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}')
}

/// Letters of two columns: East Asian scripts and pictures.
const fn is_wide(letter: char) -> bool {
    matches!(letter,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{303e}' | '\u{3041}'..='\u{a4cf}'
        | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}' | '\u{1f680}'..='\u{1f6ff}' | '\u{1f900}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}')
}
