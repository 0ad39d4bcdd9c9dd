//! Sliding window: the present window, and of the previous one the share still ahead, rounded down.

use super::{moment::Moment, recount::Recount, window_events::WindowEvents};

#[derive(Clone, Debug)]
pub(super) struct SlidingWindow {
    pub(super) capacity: i128,
    pub(super) events: WindowEvents,
}

impl SlidingWindow {
    /// An interval of one period that ends with the first tick of a window has left the first tick of the previous
    /// window behind, so the previous one never counts whole.
    fn estimate(&self, at: Moment) -> i128 {
        let window = self.events.window(at);
        let start = self.events.calendar.start_of(window);
        let end = self.events.calendar.end_of(window);
        // Seen from before its start it is as at its start.
        let ahead = (end - at.wall).min(end - start - 1);
        let current = self.events.admitted_in(window);
        let previous = self.events.admitted_in(window - 1);
        current + previous * ahead / (end - start)
    }
}

impl Recount for SlidingWindow {
    /// How much of the previous window had faded by then is not known: all of it counts.
    fn settle(&mut self, at: Moment) -> bool {
        let is_ahead = self.events.settle(at);
        if is_ahead {
            self.events.fold(self.capacity);
        }
        is_ahead
    }

    fn used(&self, at: Moment) -> i128 {
        self.estimate(at)
    }

    fn fits(&self, at: Moment, cost: i128) -> bool {
        self.estimate(at) + cost <= self.capacity
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
