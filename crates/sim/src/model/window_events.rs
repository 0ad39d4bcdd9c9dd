//! Admissions, each known by the aligned window it fell into.

use tollgate_core::Period;

use super::{calendar::Calendar, moment::Moment};

/// Every admission of the latest window and, for a sliding window, the one before it.
#[derive(Clone, Debug)]
pub(super) struct WindowEvents {
    pub(super) calendar: Calendar,
    /// The latest window anything was admitted in: time does not run backwards from there, except
    /// by [`WindowEvents::settle`].
    latest: i128,
    /// How many windows before the latest still matter.
    earlier: i128,
    events: Vec<Event>,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    window: i128,
    cost: i128,
}

impl WindowEvents {
    pub(super) fn new(period: Period, earlier: i128, at: Moment) -> Self {
        let calendar = Calendar::new(period);
        Self { latest: calendar.window_at(at.wall), calendar, earlier, events: Vec::new() }
    }

    /// Counts two or more windows ahead move into the present window, and those of the window
    /// before into the one before.
    pub(super) fn settle(&mut self, at: Moment) -> bool {
        let present = self.calendar.window_at(at.wall);
        let ahead = self.latest - present;
        if ahead <= 1 {
            return false;
        }
        self.latest = present;
        for event in &mut self.events {
            event.window -= ahead;
        }
        true
    }

    /// Moves what was admitted in the window before the latest into the latest, as far as it then holds no
    /// more than `capacity`.
    pub(super) fn fold(&mut self, capacity: i128) {
        let mut room = (capacity - self.admitted_in(self.latest)).max(0);
        for event in &mut self.events {
            if event.window < self.latest {
                event.window = self.latest;
                event.cost = event.cost.min(room);
                room -= event.cost;
            }
        }
        self.events.retain(|event| event.cost > 0);
    }

    /// The window in which a request at this moment counts: the latest, unless time has left it or
    /// there is nothing in it.
    pub(super) fn window(&self, at: Moment) -> i128 {
        let present = self.calendar.window_at(at.wall);
        if self.events.is_empty() { present } else { present.max(self.latest) }
    }

    /// Units admitted in a window.
    pub(super) fn admitted_in(&self, window: i128) -> i128 {
        let inside = self.events.iter().filter(|event| event.window == window);
        inside.map(|event| event.cost).sum()
    }

    pub(super) fn charge(&mut self, at: Moment, cost: i128) {
        let window = self.window(at);
        self.latest = window;
        self.events.push(Event { window, cost });
        // What ended before those can never count again.
        let oldest = window - self.earlier;
        self.events.retain(|event| event.window >= oldest);
    }

    /// Only the window that still runs is credited.
    pub(super) fn refund(&mut self, at: Moment, cost: i128) {
        let window = self.window(at);
        let mut credit = cost;
        for event in self.events.iter_mut().rev() {
            if event.window == window {
                let taken = event.cost.min(credit);
                event.cost -= taken;
                credit -= taken;
            }
        }
        self.events.retain(|event| event.cost > 0);
    }

    /// Microseconds until the window of this moment ends.
    pub(super) fn until_end(&self, at: Moment) -> i128 {
        self.calendar.end_of(self.window(at)) - at.wall
    }
}
