//! How thorough a run is.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    Full,
    /// A look whether everything runs; the numbers are worth little.
    Quick,
}
