//! What the parser's events say, in the words of the tree.

use granit_parser::{ScalarStyle, ScanError, Span, StructureStyle};

use super::{
    FormatError,
    tree::{Layout, Style},
};

pub(super) fn syntax(error: &ScanError) -> FormatError {
    FormatError::Syntax {
        line: error.marker().line(),
        column: error.marker().col().saturating_add(1),
        message: error.info(),
    }
}

/// Where it begins and ends, in bytes.
pub(super) fn place(span: Span) -> (usize, usize) {
    let start = span.start.byte_offset().unwrap_or(usize::MAX);
    (start, span.end.byte_offset().unwrap_or(start))
}

pub(super) fn unusual(span: Span, what: &'static str) -> FormatError {
    let line = span.start.line();
    FormatError::Unusual { line, what }
}

pub(super) const fn style_of(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    }
}

pub(super) const fn layout_of(style: StructureStyle) -> Layout {
    match style {
        StructureStyle::Block => Layout::Block,
        StructureStyle::Flow => Layout::Flow,
    }
}
