//! Where something stands in the text.

use std::ops::Range;

/// A range of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// From one byte up to, but without, another; never backwards.
    pub(super) fn new(start: usize, end: usize) -> Self {
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        let end = u32::try_from(end).unwrap_or(u32::MAX).max(start);
        Self { start, end }
    }

    pub(super) fn start(self) -> usize {
        usize::try_from(self.start).unwrap_or(usize::MAX)
    }

    pub(super) fn bytes(self) -> Range<usize> {
        self.start()..usize::try_from(self.end).unwrap_or(usize::MAX)
    }
}
