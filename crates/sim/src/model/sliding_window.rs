//! Sliding window: the present window, and of the previous one the share still ahead.

use super::{
    moment::Moment,
    recount::{Recount, div_up},
    window_events::WindowEvents,
};

#[derive(Clone, Debug)]
pub(super) struct SlidingWindow {
    pub(super) capacity: i128,
    pub(super) events: WindowEvents,
}

impl SlidingWindow {
    /// The estimate as an exact fraction: units times the window's length, and that length.
    fn estimate(&self, at: Moment) -> (i128, i128) {
        let window = self.events.window(at);
        let start = self.events.calendar.start_of(window);
        let end = self.events.calendar.end_of(window);
        let length = end - start;
        // Seen from before its start the whole window lies ahead.
        let ahead = end - at.wall.max(start);
        let current = self.events.admitted_in(window);
        let previous = self.events.admitted_in(window - 1);
        (current * length + previous * ahead, length)
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
        let (estimate, length) = self.estimate(at);
        div_up(estimate, length)
    }

    fn fits(&self, at: Moment, cost: i128) -> bool {
        let (estimate, length) = self.estimate(at);
        estimate + cost * length <= self.capacity * length
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
