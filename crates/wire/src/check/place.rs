//! Lines and columns.

/// Turns bytes into lines and columns, going forward only: a thousand mistakes cost one walk.
#[derive(Debug)]
pub(super) struct Places<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'a> Places<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
            column: 1,
        }
    }

    /// Line and column, from one, of a byte that is not before those asked for so far.
    pub(super) fn of(&mut self, byte: usize) -> (usize, usize) {
        for letter in self.text.get(self.at..byte).unwrap_or_default().chars() {
            self.column += 1;
            if letter == '\n' {
                self.line += 1;
                self.column = 1;
            }
        }
        self.at = self.at.max(byte);
        (self.line, self.column)
    }
}
