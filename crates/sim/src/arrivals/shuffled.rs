//! Late threads and equal readings.

use super::Arrival;
use crate::Rng;

/// Another stream with its moments out of order, some of them repeated, as threads see them that
/// read the clock before they get their turn. No moment is late by more than
/// eight requests.
///
/// ```
/// use tollgate_sim::arrivals::{Shuffled, Traffic, Uniform};
///
/// let sorted = Uniform::new(7, Traffic::default());
/// let mut shuffled = Shuffled::new(7, sorted).take(100);
/// assert!(!shuffled.is_sorted_by_key(|arrival| arrival.now.steady));
/// ```
#[derive(Clone, Debug)]
pub struct Shuffled<I> {
    rng: Rng,
    inner: I,
    waiting: Vec<Arrival>,
}

impl<I: Iterator<Item = Arrival>> Shuffled<I> {
    /// The stream `inner`, shuffled by this seed.
    pub const fn new(seed: u64, inner: I) -> Self {
        Self { rng: Rng::new(seed), inner, waiting: Vec::new() }
    }
}

/// How many requests may overtake each other.
const BLOCK: usize = 8;

impl<I: Iterator<Item = Arrival>> Iterator for Shuffled<I> {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        if self.waiting.is_empty() {
            self.waiting.extend(self.inner.by_ref().take(BLOCK));
        }
        let choices = u64::try_from(self.waiting.len()).unwrap_or(0);
        let chosen = usize::try_from(self.rng.below(choices)).unwrap_or(0);
        let repeated = self.waiting.first().map(|first| first.now);
        let mut arrival = (chosen < self.waiting.len()).then(|| self.waiting.remove(chosen))?;
        if let (Some(now), true) = (repeated, self.rng.one_in(4)) {
            arrival.now = now;
        }
        Some(arrival)
    }
}
