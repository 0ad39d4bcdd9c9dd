//! Everything around the edges of the windows.

use tollgate_core::{Micros, Period, Timestamp};

use super::{Arrival, Traffic};
use crate::Rng;

/// Bursts that begin a few ticks before the end of a window and go on a few ticks into the next,
/// one request a tick or several: where a counter is forgotten too early or kept too long.
///
/// ```
/// use tollgate_core::Period;
/// use tollgate_sim::arrivals::{EdgeBursts, Traffic};
///
/// let near = EdgeBursts::new(7, Traffic::default(), Period::SECOND).take(200);
/// for arrival in near {
///     let past_edge = arrival.now.wall.as_micros() % 1_000_000;
///     assert!(past_edge < 30 || past_edge > 999_970);
/// }
/// ```
#[derive(Clone, Debug)]
pub struct EdgeBursts {
    rng: Rng,
    traffic: Traffic,
    period: Period,
    at: Timestamp,
    left_in_burst: u64,
}

impl EdgeBursts {
    /// The stream of this seed, around the windows of `period`.
    pub const fn new(seed: u64, traffic: Traffic, period: Period) -> Self {
        Self { rng: Rng::new(seed), at: traffic.start, traffic, period, left_in_burst: 0 }
    }

    /// Shortly before the end of this window or of the next.
    fn next_burst(&mut self) -> Timestamp {
        let window = self.period.window_at(self.at) + self.rng.below(2);
        let early = Micros::new(self.rng.below(BURST_TICKS / 2));
        let edge = self.period.start_of(window + 1);
        edge.saturating_sub(early).max(self.at)
    }
}

/// The longest burst, in ticks and in requests.
const BURST_TICKS: u64 = 16;

impl Iterator for EdgeBursts {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        match self.left_in_burst.checked_sub(1) {
            Some(left) => {
                self.left_in_burst = left;
                self.at = self.at.saturating_add(Micros::new(self.rng.below(2)));
            }
            None => {
                self.left_in_burst = self.rng.below(BURST_TICKS);
                self.at = self.next_burst();
            }
        }
        Some(self.traffic.arrival(&mut self.rng, self.at))
    }
}
