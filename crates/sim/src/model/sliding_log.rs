//! Sliding log: what was admitted within the last period.

use super::{moment::Moment, recount::Recount};

#[derive(Clone, Debug)]
pub(super) struct SlidingLog {
    pub(super) capacity: i128,
    pub(super) period: i128,
    events: Vec<Event>,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    at: i128,
    cost: i128,
}

impl SlidingLog {
    pub(super) const fn new(capacity: i128, period: i128) -> Self {
        Self { capacity, period, events: Vec::new() }
    }

    fn newest(&self) -> Option<i128> {
        self.events.iter().map(|event| event.at).max()
    }

    /// A late request counts as being on time: time does not run backwards within the log.
    fn own_time(&self, at: Moment) -> i128 {
        self.newest().map_or(at.steady, |newest| newest.max(at.steady))
    }
}

impl Recount for SlidingLog {
    fn settle(&mut self, at: Moment) -> bool {
        let is_ahead = self.newest().is_some_and(|newest| newest - at.steady > self.period);
        if is_ahead {
            for event in &mut self.events {
                event.at = event.at.min(at.steady);
            }
        }
        is_ahead
    }

    fn used(&self, at: Moment) -> i128 {
        let now = self.own_time(at);
        let live =
            self.events.iter().filter(|event| now - self.period < event.at && event.at <= now);
        live.map(|event| event.cost).sum()
    }

    fn fits(&self, at: Moment, cost: i128) -> bool {
        self.used(at) + cost <= self.capacity
    }

    fn reset_after(&self, at: Moment) -> i128 {
        let newest = self.newest();
        newest.map_or(0, |newest| (newest + self.period - at.steady).max(0))
    }

    fn charge(&mut self, at: Moment, cost: i128) {
        let now = self.own_time(at);
        // What has run out by the log's own time is over, even if a late request comes.
        self.events.retain(|event| now - self.period < event.at);
        self.events.push(Event { at: now, cost });
    }

    fn refund(&mut self, at: Moment, cost: i128) {
        let mut credit = cost;
        for event in self.events.iter_mut().rev() {
            if at.steady - self.period < event.at {
                let taken = event.cost.min(credit);
                event.cost -= taken;
                credit -= taken;
            }
        }
        self.events.retain(|event| event.cost > 0);
    }
}
