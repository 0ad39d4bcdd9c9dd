//! From byte offsets to lines and columns.

use super::super::span::Span;

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
        Self {
            text,
            starts: starts.collect(),
        }
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
