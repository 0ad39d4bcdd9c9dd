//! A wall clock that is set back and forth.

use tollgate_core::{Micros, Timestamp};

use super::Arrival;
use crate::Rng;

/// Another stream, under a time of day that somebody sets by a second up to two days, back and
/// forth. Elapsed time does not notice.
///
/// ```
/// use tollgate_sim::arrivals::{Traffic, Uniform, WallSteps};
///
/// let steady = Uniform::new(7, Traffic::default());
/// let mut stepped = WallSteps::new(7, steady).take(500);
/// assert!(stepped.any(|arrival| arrival.now.wall != arrival.now.steady));
/// ```
#[derive(Clone, Debug)]
pub struct WallSteps<I> {
    rng: Rng,
    inner: I,
    ahead: Micros,
    behind: Micros,
}

impl<I: Iterator<Item = Arrival>> WallSteps<I> {
    /// How far the clock is set at a time.
    pub const STEPS: [Micros; 7] = [
        Micros::from_secs(1),
        Micros::from_secs(10),
        Micros::from_secs(60),
        Micros::from_secs(3_600),
        Micros::from_secs(24 * 3_600),
        Micros::from_secs(25 * 3_600),
        Micros::from_secs(48 * 3_600),
    ];

    /// The stream `inner` under the wall clock of this seed.
    pub const fn new(seed: u64, inner: I) -> Self {
        Self { rng: Rng::new(seed), inner, ahead: Micros::ZERO, behind: Micros::ZERO }
    }

    fn wall(&self, steady: Timestamp) -> Timestamp {
        let ahead = steady.saturating_add(self.ahead);
        ahead.saturating_sub(self.behind)
    }
}

impl<I: Iterator<Item = Arrival>> Iterator for WallSteps<I> {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        let mut arrival = self.inner.next()?;
        if self.rng.one_in(12) {
            let by = self.rng.pick(&Self::STEPS);
            match self.rng.below(3) {
                0 => self.ahead = self.ahead.saturating_add(by),
                1 => self.behind = self.behind.saturating_add(by),
                // The time service finds the right time again.
                _ => (self.ahead, self.behind) = (Micros::ZERO, Micros::ZERO),
            }
        }
        arrival.now.wall = self.wall(arrival.now.steady);
        Some(arrival)
    }
}
