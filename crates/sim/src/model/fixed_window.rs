//! Fixed window: what was admitted in the present aligned window.

use super::{moment::Moment, recount::Recount, window_events::WindowEvents};

#[derive(Clone, Debug)]
pub(super) struct FixedWindow {
    pub(super) capacity: i128,
    pub(super) events: WindowEvents,
}

impl Recount for FixedWindow {
    fn settle(&mut self, at: Moment) -> bool {
        self.events.settle(at)
    }

    fn used(&self, at: Moment) -> i128 {
        self.events.admitted_in(self.events.window(at))
    }

    fn fits(&self, at: Moment, cost: i128) -> bool {
        self.used(at) + cost <= self.capacity
    }

    fn reset_after(&self, at: Moment) -> i128 {
        self.events.until_end(at)
    }

    fn charge(&mut self, at: Moment, cost: i128) {
        self.events.charge(at, cost);
    }

    fn refund(&mut self, at: Moment, cost: i128) {
        self.events.refund(at, cost);
    }
}
