//! Gaps of any length up to twice the mean.

use tollgate_core::{Micros, Timestamp};

use super::{Arrival, Traffic};
use crate::Rng;

/// Steady traffic: every gap from zero to twice the mean is as likely as any other.
///
/// ```
/// use tollgate_sim::arrivals::{Traffic, Uniform};
///
/// let first: Vec<_> = Uniform::new(7, Traffic::default()).take(50).collect();
/// let again: Vec<_> = Uniform::new(7, Traffic::default()).take(50).collect();
/// assert_eq!(first, again);
/// assert!(first.is_sorted_by_key(|arrival| arrival.now.steady));
/// ```
#[derive(Clone, Debug)]
pub struct Uniform {
    rng: Rng,
    traffic: Traffic,
    at: Timestamp,
}

impl Uniform {
    /// The stream of this seed.
    pub const fn new(seed: u64, traffic: Traffic) -> Self {
        Self { rng: Rng::new(seed), at: traffic.start, traffic }
    }
}

impl Iterator for Uniform {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        let gap = self.rng.between(0, 2 * self.traffic.gap.get());
        self.at = self.at.saturating_add(Micros::new(gap));
        Some(self.traffic.arrival(&mut self.rng, self.at))
    }
}
