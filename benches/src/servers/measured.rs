//! What came of it.

use super::shape::Shape;

/// How everybody did at one shape.
#[derive(Debug)]
pub(crate) struct Contest {
    pub(crate) shape: Shape,
    pub(crate) measured: Vec<Measured>,
}

impl Contest {
    pub(crate) fn of(&self, who: &str) -> Option<&Measured> {
        self.measured.iter().find(|measured| measured.who == who)
    }
}

/// How one server did.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) who: String,
    /// Decisions a second, the median of the rounds.
    pub(crate) rate: f64,
    /// Of a round trip, in microseconds, over all rounds.
    pub(crate) p50_us: u64,
    pub(crate) p99_us: u64,
    pub(crate) p999_us: u64,
    /// The server's processor time for a decision.
    pub(crate) cpu_us: f64,
    pub(crate) resident_mb: f64,
}
