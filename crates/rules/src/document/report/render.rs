//! How a report reads.

use std::{fmt, sync::Arc};

use super::super::{
    findings::{Finding, Findings},
    span::Span,
};
use crate::review::Severity;

/// Each problem with its line, its text underlined, and what to do.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            problem.render(&self.source, f)?;
            f.write_str("\n")?;
        }
        let all = self.errors.saturating_add(self.warnings);
        let more = all.saturating_sub(self.problems.len());
        if more > 0 {
            writeln!(f, "... and {more} more, which are not shown\n")?;
        }
        match (self.errors, self.warnings) {
            (0, 0) => Ok(()),
            (0, warnings) => writeln!(f, "{}", counted(warnings, "warning")),
            (errors, 0) => writeln!(f, "{}", counted(errors, "error")),
            (errors, warnings) => {
                let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
                writeln!(f, "{errors}, {warnings}")
            }
        }
    }
}

fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

impl Problem {
    fn render(&self, source: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column, .. } = self.place;
        let related = self.related.as_ref();
        let largest = related.map_or(line, |(place, _)| place.line.max(line));
        let gutter = largest.to_string().len();
        writeln!(f, "{}: {}", self.severity, self.message)?;
        writeln!(f, "{:gutter$}--> {source}:{line}:{column}", "")?;
        let help = self.help.as_deref().unwrap_or_default();
        let own = (&self.place, '^', help);
        let other = related.map(|(place, how)| (place, '-', how.as_str()));
        let mut marked: Vec<(&Place, char, &str)> = other.into_iter().chain([own]).collect();
        marked.sort_by_key(|(place, ..)| (place.line, place.column));
        for (place, mark, words) in marked {
            writeln!(f, "{:gutter$} |", "")?;
            place.render(gutter, mark, words, f)?;
        }
        match &self.note {
            Some(note) => writeln!(f, "{:gutter$} = {note}", ""),
            None => Ok(()),
        }
    }
}

impl Place {
    fn render(
        &self,
        gutter: usize,
        mark: char,
        words: &str,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let text: String = self.excerpt.chars().map(shown).collect();
        let columns = |skip: usize, take: usize| -> usize {
            let letters = self.excerpt.chars().skip(skip).take(take);
            letters.map(width).sum()
        };
        let indent = columns(0, self.offset);
        let marks = columns(self.offset, self.length).max(1);
        let marks = mark.to_string().repeat(marks);
        let before = if self.column > self.offset + 1 { "..." } else { "" };
        let indent = indent + before.len();
        let after = if self.is_cut { "..." } else { "" };
        let text = format!("{before}{text}{after}");
        writeln!(f, "{:>gutter$} | {}", self.line, text.trim_end())?;
        let underline = format!("{:gutter$} | {:indent$}{marks} {words}", "", "");
        writeln!(f, "{}", underline.trim_end())
    }
}

/// Where each line begins.
pub(in crate::document) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

/// A place within its line.
pub(super) struct Within<'t> {
    /// From 1.
    pub(super) line: usize,
    /// The line, without its end.
    pub(super) text: &'t str,
    /// Bytes of the line before the place.
    pub(super) start: usize,
    /// Bytes of the line before the end of the place, which is in this line.
    pub(super) end: usize,
}

impl<'t> Lines<'t> {
    pub(in crate::document) fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(place, byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(place + 1) != Some(&b'\n'),
            _ => false,
        });
        let starts = std::iter::once(0).chain(ends.map(|(place, _)| place + 1));
        Self { text, starts: starts.collect() }
    }

    /// The line of the first byte, and the part of it that the range covers.
    pub(super) fn within(&self, bytes: std::ops::Range<usize>) -> Within<'t> {
        let start = self.boundary(bytes.start);
        let end = self.boundary(bytes.end).max(start);
        let line = self.starts.partition_point(|&begin| begin <= start).max(1);
        let begin = self.starts.get(line - 1).copied().unwrap_or(0);
        let next = self.starts.get(line).copied().unwrap_or(self.text.len());
        let text = self.text.get(begin..next).unwrap_or_default();
        let text = text.trim_end_matches(['\n', '\r']);
        Within {
            line,
            text,
            start: (start - begin).min(text.len()),
            end: (end - begin).min(text.len()),
        }
    }

    /// The line of the first byte, from 1.
    pub(in crate::document) fn line_of(&self, span: Span) -> usize {
        self.within(span.bytes()).line
    }

    /// The nearest place at or before `at` where a letter begins.
    fn boundary(&self, at: usize) -> usize {
        self.text.floor_char_boundary(at.min(self.text.len()))
    }
}

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
    char::from_u32(0x2400 + code).unwrap_or(char::REPLACEMENT_CHARACTER).to_string()
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

/// Everything that is wrong with a document, in the order of the text. Prints as what a person should
/// read; the fields are for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// What the document is called, usually the file's name.
    pub source: Arc<str>,
    /// At most [`Report::PROBLEMS_MAX`] problems.
    pub problems: Vec<Problem>,
    /// How many errors there are, those left out included.
    pub errors: usize,
    /// How many warnings there are, those left out included.
    pub warnings: usize,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// Whether the document is refused for it.
    pub severity: Severity,
    /// Where it is.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What to do about it, to be read beside the place.
    pub help: Option<String>,
    /// More to know, such as what is allowed there.
    pub note: Option<String>,
    /// Another place that has to do with it, and how.
    pub related: Option<(Place, String)>,
}

/// A place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in letters.
    pub column: usize,
    /// How many letters from there, on this line.
    pub length: usize,
    /// The line, or the part of a long one that is around the place.
    pub excerpt: String,
    /// How many letters of the excerpt are before the place.
    pub offset: usize,
    /// Whether the line goes on after the excerpt.
    pub is_cut: bool,
}

impl std::error::Error for Report {}

impl Report {
    /// The most problems that are kept; the rest is counted.
    pub const PROBLEMS_MAX: usize = Findings::KEPT_MAX;

    pub(in crate::document) fn new(source: &str, text: &str, findings: Findings) -> Self {
        let lines = Lines::new(text);
        let (errors, warnings) = (findings.errors(), findings.warnings());
        let mut kept = findings.into_kept();
        kept.sort_by_key(|finding| finding.span);
        let problems = kept.into_iter().map(|found| Problem::new(found, &lines));
        Self { source: source.into(), problems: problems.collect(), errors, warnings }
    }

    /// Whether the document is refused.
    pub const fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether nothing at all is wrong.
    pub const fn is_clean(&self) -> bool {
        self.errors == 0 && self.warnings == 0
    }
}

impl Problem {
    fn new(found: Finding, lines: &Lines<'_>) -> Self {
        let related = found.related.map(|(span, how)| {
            let place = Place::new(&lines.within(span.bytes()));
            (place, how)
        });
        Self {
            severity: found.severity,
            place: Place::new(&lines.within(found.span.bytes())),
            message: found.message,
            help: found.help,
            note: found.note,
            related,
        }
    }
}

impl Place {
    /// The most letters of a line that are shown.
    pub const EXCERPT_LETTERS_MAX: usize = 120;

    fn new(within: &Within<'_>) -> Self {
        let letters = |part: Option<&str>| part.unwrap_or_default().chars().count();
        let before = letters(within.text.get(..within.start));
        let length = letters(within.text.get(within.start..within.end));
        let skipped = before.saturating_sub(Self::EXCERPT_LETTERS_MAX / 2);
        let all = letters(Some(within.text));
        let is_short = all <= Self::EXCERPT_LETTERS_MAX;
        let skipped = if is_short { 0 } else { skipped };
        let shown = within.text.chars().skip(skipped);
        Self {
            line: within.line,
            column: before + 1,
            length,
            excerpt: shown.take(Self::EXCERPT_LETTERS_MAX).collect(),
            offset: before - skipped,
            is_cut: all > skipped + Self::EXCERPT_LETTERS_MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        let text = "one\ntwo\r\nthree\rfour";
        let lines = Lines::new(text);
        for (word, line) in [("one", 1), ("two", 2), ("three", 3), ("four", 4)] {
            let start = text.find(word).unwrap();
            let within = lines.within(start..start + word.len());
            assert_eq!((within.line, within.text), (line, word));
            assert_eq!((within.start, within.end), (0, word.len()));
        }
    }

    #[test]
    fn places_outside_of_the_text_are_at_its_end() {
        let lines = Lines::new("é");
        for range in [0..1, 1..2, 7..9, usize::MAX..usize::MAX] {
            let within = lines.within(range);
            assert_eq!(within.line, 1);
            assert!(within.text.is_char_boundary(within.start));
            assert!(within.text.is_char_boundary(within.end));
        }
        assert_eq!(Lines::new("").within(0..0).line, 1);
        assert_eq!(Lines::new("a\n").within(2..2).line, 2);
    }
}
