//! What was found wrong so far.

use std::collections::HashSet;

use super::span::Span;
use crate::review::Severity;

/// One thing that is wrong, by its place in the text.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) severity: Severity,
    pub(super) span: Span,
    pub(super) message: String,
    /// What to do, said beside the place.
    pub(super) help: Option<String>,
    /// More to know, such as what is allowed.
    pub(super) note: Option<String>,
    /// Another place that has to do with it, and how.
    pub(super) related: Option<(Span, String)>,
}

impl Finding {
    pub(super) fn error(span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            span,
            message: message.into(),
            help: None,
            note: None,
            related: None,
        }
    }

    pub(super) fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    pub(super) fn related(mut self, span: Span, how: impl Into<String>) -> Self {
        self.related = Some((span, how.into()));
        self
    }
}

/// Everything found, in the order of finding. What is said about one place once is not said again:
/// an alias shows the same text in several places.
#[derive(Debug, Default)]
pub(super) struct Findings {
    kept: Vec<Finding>,
    said: HashSet<(Span, String)>,
    settled: HashSet<Span>,
    errors: usize,
    warnings: usize,
}

impl Findings {
    /// The most that are kept; the rest is counted.
    pub(super) const KEPT_MAX: usize = 200;

    pub(super) fn push(&mut self, finding: Finding) {
        let is_said = self.said.contains(&(finding.span, finding.message.clone()));
        if is_said || self.settled.contains(&finding.span) {
            return;
        }
        match finding.severity {
            Severity::Error => self.errors = self.errors.saturating_add(1),
            Severity::Warning => self.warnings = self.warnings.saturating_add(1),
        }
        if self.kept.len() < Self::KEPT_MAX {
            self.said.insert((finding.span, finding.message.clone()));
            self.kept.push(finding);
        }
    }

    /// Reports an error that takes work to put in words, if there is still room for words.
    pub(super) fn push_error(&mut self, finding: impl FnOnce() -> Finding) {
        if self.kept.len() < Self::KEPT_MAX {
            self.push(finding());
        } else {
            self.errors = self.errors.saturating_add(1);
        }
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.push(Finding::error(span, message));
    }

    /// Reports what is the cause of whatever else might be said of this place.
    pub(super) fn settle(&mut self, finding: Finding) {
        let span = finding.span;
        self.push(finding);
        self.settled.insert(span);
    }

    pub(super) const fn errors(&self) -> usize {
        self.errors
    }

    pub(super) const fn warnings(&self) -> usize {
        self.warnings
    }

    pub(super) fn into_kept(self) -> Vec<Finding> {
        self.kept
    }
}
