//! How thorough a run is.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    Full,
    /// A look whether everything runs; the numbers are worth little.
    Quick,
}

impl Depth {
    pub(crate) fn pick<T>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}
