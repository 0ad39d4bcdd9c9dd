//! How a text is spelled.

use std::fmt::Write as _;

use super::tree::{Scalar, Style};
use crate::normalise::is_control_or_bidi;

/// The widest line that text is folded to.
const COLUMNS_MAX: usize = 100;

impl Scalar {
    /// On one line: without quotes if it had none or needs none.
    pub(super) fn on_one_line(&self) -> String {
        let stays = self.style == Style::Plain && !self.text.contains('\n');
        if stays || is_plainly_text(&self.text) {
            return self.text.clone();
        }
        in_double_quotes(&self.text)
    }

    /// The header and the lines of a text in a block, if it can be one.
    pub(super) fn as_block(&self, indent: usize) -> Option<(String, Vec<String>)> {
        let body = self.text.trim_end_matches('\n');
        if !matches!(self.style, Style::Literal | Style::Folded) || body.is_empty() {
            return None;
        }
        let breaks = self.text.len().saturating_sub(body.len());
        let chomping = ["-", ""].get(breaks).copied().unwrap_or("+");
        let folded = match self.style {
            Style::Folded => folded(body, indent),
            _ => None,
        };
        let first = body.split('\n').find(|line| !line.is_empty());
        let is_indented = first.is_some_and(|line| line.starts_with([' ', '\t']));
        let step = if is_indented { "2" } else { "" };
        let (sign, mut lines) = match folded {
            Some(lines) => (">", lines),
            None => ("|", body.split('\n').map(str::to_owned).collect()),
        };
        lines.extend((1..breaks).map(|_| String::new()));
        Some((format!("{sign}{step}{chomping}"), lines))
    }

    /// Whether two texts mean the same: a number, say, is not the text that looks like it.
    pub(super) fn means(&self, other: &Self) -> bool {
        let is_text = |scalar: &Self| scalar.style != Style::Plain || is_plainly_text(&scalar.text);
        let is_same_kind = is_text(self) == is_text(other) || self.text.contains('\n');
        self.text == other.text && (is_same_kind || self.style == other.style)
    }
}

/// The lines of a folded text: a line break of the text is an empty line. `None` for text whose lines
/// would not be folded.
fn folded(body: &str, indent: usize) -> Option<Vec<String>> {
    if body.split('\n').any(|line| line.starts_with([' ', '\t'])) || body.starts_with('\n') {
        return None;
    }
    let width = COLUMNS_MAX.saturating_sub(indent).max(20);
    let mut lines = Vec::new();
    for (place, line) in body.split('\n').enumerate() {
        if place > 0 {
            lines.push(String::new());
        }
        if !line.is_empty() {
            lines.extend(wrapped(line, width));
        }
    }
    Some(lines)
}

/// Broken at single blanks, the only place where a fold gives back what was there.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in line.split(' ') {
        match lines.last_mut() {
            Some(last)
                if word.is_empty()
                    || word.starts_with('\t')
                    || last.ends_with([' ', '\t'])
                    || last.chars().count() + 1 + word.chars().count() <= width =>
            {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A text in the quotes that can hold any.
pub(in crate::document) fn in_double_quotes(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            letter if is_printable(letter) => quoted.push(letter),
            other => {
                let _infallible = write!(quoted, "\\U{:08X}", u32::from(other));
            }
        }
    }
    quoted.push('"');
    quoted
}

fn is_printable(letter: char) -> bool {
    let is_odd = matches!(letter, '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    !is_control_or_bidi(letter) && !is_odd
}

/// Whether every reader of YAML takes it for a text without quotes, wherever it stands.
fn is_plainly_text(text: &str) -> bool {
    const WORDS: [&str; 11] = [
        "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf",
    ];
    let is_word = WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    let is_safe = |letter: char| letter.is_ascii_alphanumeric() || "/_.-+%*@ ".contains(letter);
    let starts = text.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '/');
    starts && !is_word && !text.ends_with(' ') && text.chars().all(is_safe) && !is_number(text)
}

/// Anything that begins like a number and is not a limit, a percentage or a factor.
fn is_number(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_hexdigit() || "xo._-+".contains(letter);
    let is_numeric = text.starts_with(|letter: char| letter.is_ascii_digit());
    is_numeric && text.chars().all(is_part) && !text.ends_with('x')
}
