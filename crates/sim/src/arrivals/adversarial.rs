//! One client who knows the law.

use tollgate_core::{Cost, Limit, Micros, Now};

use super::{Arrival, Traffic};
use crate::{
    Rng,
    model::{Model, ModelAnswer},
};

/// A client who keeps a model of the limit and comes when it hurts most: many times in one tick,
/// exactly when it was told to retry, one tick earlier, one tick later, after an idle gap of exactly
/// one window, or with exactly what is left. One key.
///
/// ```
/// use tollgate_core::Limit;
/// use tollgate_sim::{arrivals::{Adversarial, Traffic}, model::Model};
///
/// let limit: Limit = "5/s".parse()?;
/// let traffic = Traffic::default();
/// let mut model = Model::new(&limit, tollgate_core::Now::at(traffic.start));
/// let denied = Adversarial::new(7, traffic, &limit)
///     .take(1_000)
///     .filter(|arrival| !model.step(arrival.now, arrival.cost).allowed)
///     .count();
/// assert!((200..900).contains(&denied));
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Adversarial {
    rng: Rng,
    traffic: Traffic,
    now: Now,
    model: Model,
    last: Option<ModelAnswer>,
}

impl Adversarial {
    /// The stream of this seed, against `limit`.
    pub fn new(seed: u64, traffic: Traffic, limit: &Limit) -> Self {
        let now = Now::at(traffic.start);
        Self { rng: Rng::new(seed), traffic, now, model: Model::new(limit, now), last: None }
    }

    fn gap(&mut self) -> u64 {
        let retry = self.last.and_then(|last| last.retry_after);
        let retry = retry.map_or(0, Micros::get);
        match self.rng.below(10) {
            0..=4 => 0,
            5 => retry,
            6 => retry.saturating_sub(1),
            7 => retry.saturating_add(1),
            8 => self.model.limit().period().length().get(),
            _ => self.rng.below(2 * self.traffic.gap.get() + 1),
        }
    }

    fn cost(&mut self) -> u64 {
        let left = self.last.map_or(1, |last| last.remaining);
        match self.rng.below(8) {
            0 => left.max(1),
            1 => left.saturating_add(1),
            _ => self.rng.between(1, self.traffic.cost_max.max(1)),
        }
    }
}

impl Iterator for Adversarial {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        let gap = Micros::new(self.gap());
        self.now = Now::at(self.now.steady.saturating_add(gap));
        let cost = Cost::new(self.cost());
        self.last = Some(self.model.step(self.now, cost));
        Some(Arrival { now: self.now, key: 0, cost })
    }
}
