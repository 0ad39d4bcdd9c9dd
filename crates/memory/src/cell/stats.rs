//! What the table of cells tells about itself.

/// A reading of the table's size and of what its bound has cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CellStats {
    /// Places that hold a key, run out or not.
    pub keys: u64,
    /// Places there are.
    pub capacity: u64,
    /// Bytes the table may come to take.
    pub bytes_max: u64,
    /// Keys that owed something and gave up their place for another's. Their debt stays in a sketch.
    pub evicted: u64,
    /// Keys that a sketch counts.
    pub overflow_keys: u64,
    /// Bytes the sketches take.
    pub overflow_bytes: u64,
    /// The most they may come to take.
    pub overflow_bytes_max: u64,
    /// The odds that a key which owes nothing is taken to owe something, in millionths.
    pub odds_millionths: u64,
}
