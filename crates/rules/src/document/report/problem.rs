//! What is wrong, and where.

use std::sync::Arc;

use super::{
    super::findings::{Finding, Findings},
    lines::{Lines, Within},
};
use crate::review::Severity;

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
        Self {
            source: source.into(),
            problems: problems.collect(),
            errors,
            warnings,
        }
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
