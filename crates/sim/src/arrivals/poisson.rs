//! Independent clients.

use tollgate_core::{Micros, Timestamp};

use super::{Arrival, Traffic};
use crate::Rng;

/// Requests that know nothing of each other: the gaps are exponential.
///
/// ```
/// use tollgate_sim::arrivals::{Poisson, Traffic};
///
/// let arrivals: Vec<_> = Poisson::new(7, Traffic::default()).take(10_000).collect();
/// let elapsed = arrivals[9_999].now.steady.since(arrivals[0].now.steady).get();
/// assert!((9_500..10_500).contains(&(elapsed / 10_000)));
/// ```
#[derive(Clone, Debug)]
pub struct Poisson {
    rng: Rng,
    traffic: Traffic,
    at: Timestamp,
}

impl Poisson {
    /// The stream of this seed.
    pub const fn new(seed: u64, traffic: Traffic) -> Self {
        Self { rng: Rng::new(seed), at: traffic.start, traffic }
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a sampled gap is inexact by nature; a float as an integer saturates"
    )]
    fn gap(&mut self) -> Micros {
        let share = -(1.0 - self.rng.fraction()).ln();
        Micros::new((self.traffic.gap.get() as f64 * share) as u64)
    }
}

impl Iterator for Poisson {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        self.at = self.at.saturating_add(self.gap());
        Some(self.traffic.arrival(&mut self.rng, self.at))
    }
}
