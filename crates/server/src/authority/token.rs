//! The token that a server is started with.

use std::{fmt, sync::Arc};

/// A secret that is shown by whoever may do more than ask.
#[derive(Clone)]
pub struct Token(Arc<str>);

impl Token {
    /// The fewest characters: what is shorter is guessed.
    pub const CHARS_MIN: usize = 16;

    /// The token of this text, if it is long enough and can stand in a header.
    pub fn new(text: &str) -> Option<Self> {
        let is_sound =
            text.len() >= Self::CHARS_MIN && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_sound.then(|| Self(text.into()))
    }

    /// Takes as long for a near miss as for a wild guess.
    pub(crate) fn is(&self, shown: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), shown.as_bytes());
        let differing = ours
            .iter()
            .zip(theirs)
            .fold(0, |differing, (a, b)| differing | (a ^ b));
        ours.len() == theirs.len() && std::hint::black_box(differing) == 0
    }
}

/// Never shown.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
