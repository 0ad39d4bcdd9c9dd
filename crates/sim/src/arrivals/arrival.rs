//! One request, and the traffic it belongs to.

use tollgate_core::{Cost, Micros, Now, Timestamp};

use crate::Rng;

/// A request: when, whose, how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// What the clocks say when it arrives.
    pub now: Now,
    /// Which key it counts against.
    pub key: u64,
    /// How much it weighs.
    pub cost: Cost,
}

/// The measures of a stream.
///
/// ```
/// use tollgate_core::Micros;
/// use tollgate_sim::arrivals::{Traffic, Uniform};
///
/// let traffic = Traffic { keys: 3, gap: Micros::from_millis(20), ..Traffic::default() };
/// assert!(Uniform::new(1, traffic).take(100).all(|arrival| arrival.key < 3));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Traffic {
    /// When the first request may come.
    pub start: Timestamp,
    /// The mean time between two requests.
    pub gap: Micros,
    /// How many keys there are, numbered from zero.
    pub keys: u64,
    /// The largest cost; the least is one.
    pub cost_max: u64,
}

/// One key, requests of one unit every ten milliseconds from 2026-01-01T00:00:00Z on.
impl Default for Traffic {
    fn default() -> Self {
        Self {
            start: Timestamp::from_secs(1_767_225_600),
            gap: Micros::from_millis(10),
            keys: 1,
            cost_max: 1,
        }
    }
}

impl Traffic {
    pub(super) fn arrival(&self, rng: &mut Rng, at: Timestamp) -> Arrival {
        Arrival {
            now: Now::at(at),
            key: rng.below(self.keys),
            cost: Cost::new(rng.between(1, self.cost_max.max(1))),
        }
    }
}
