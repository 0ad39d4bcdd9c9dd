//! How much whoever asks wants to be told.

use super::Query;

impl Query<'_> {
    /// Asks to be told of every limit that is met also what it is and what it counts by. Most do not need it, so for
    /// them nothing is worked out.
    pub const fn tell_in_full(&mut self) {
        self.is_told_in_full = true;
    }

    /// Whether it asks for that.
    pub const fn is_told_in_full(&self) -> bool {
        self.is_told_in_full
    }
}
