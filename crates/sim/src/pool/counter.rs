//! What one key has counted: every event, recounted on each question.

use tollgate_core::{Law, Limit};

use crate::model::{calendar::Calendar, rate::Rate};

/// Something that happened to a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Units were debited, or asserted to have been.
    Debit(i128),
    /// Units of buckets, in their smallest part.
    DebitParts(i128),
    /// Units were given back.
    Credit(i128),
    /// Units are held by somebody: a bucket must keep room for them.
    Lent(i128),
    /// Units are held no longer: spent, given back or run out.
    Freed(i128),
}

/// The events of one key, oldest first. All times are the pool's.
#[derive(Clone, Debug, Default)]
pub(super) struct Counter {
    events: Vec<(i128, Event)>,
}

/// What there is to be had at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// Whole units.
    pub(super) available: i128,
    /// In the smallest part, for buckets; else whole units of the window.
    pub(super) used: i128,
    /// Of the window before.
    pub(super) before: i128,
    pub(super) reset: i128,
}

impl Counter {
    pub(super) fn note(&mut self, at: i128, event: Event) {
        self.events.push((at, event));
    }

    pub(super) fn look(&self, limit: &Limit, now: i128) -> Look {
        match limit.law() {
            Law::TokenBucket(_) => self.look_at_bucket(limit, now),
            _ => self.look_at_window(limit, now),
        }
    }

    /// How long until there is a unit, if there is none: what a bucket gains by then, what a window takes to end.
    pub(super) fn wait(&self, limit: &Limit, now: i128) -> i128 {
        let look = self.look(limit, now);
        if look.available > 0 {
            return 0;
        }
        match limit.law() {
            Law::TokenBucket(_) => {
                let rate = rate(limit);
                rate.micros(look.used + rate.per_token - rate.full)
            }
            _ => look.reset,
        }
    }

    fn look_at_bucket(&self, limit: &Limit, now: i128) -> Look {
        let rate = rate(limit);
        let missing = self.missing(&rate, now);
        Look {
            available: (rate.full - missing).max(0) / rate.per_token,
            used: missing,
            before: 0,
            reset: rate.micros(missing),
        }
    }

    /// What is missing until the bucket is full: it gains all the time, but what others hold stays missing.
    fn missing(&self, rate: &Rate, now: i128) -> i128 {
        let (mut at, mut missing, mut lent) = (now, 0, 0);
        for (when, event) in &self.events {
            let gained = (when - at).max(0) * rate.per_micro;
            missing = (missing - gained).max(lent * rate.per_token);
            at = *when;
            match event {
                Event::Debit(units) => missing += units * rate.per_token,
                Event::DebitParts(parts) => missing += parts,
                Event::Lent(units) => lent += units,
                Event::Freed(units) => lent -= units,
                Event::Credit(units) => {
                    missing = (missing - units * rate.per_token).max(lent * rate.per_token);
                }
            }
        }
        let gained = (now - at).max(0) * rate.per_micro;
        (missing - gained).max(lent * rate.per_token)
    }

    fn look_at_window(&self, limit: &Limit, now: i128) -> Look {
        let calendar = Calendar::new(limit.period());
        let window = calendar.window_at(now);
        let (start, end) = (calendar.start_of(window), calendar.end_of(window));
        let capacity = i128::from(limit.law().capacity());
        let used = self.counted(&calendar, window);
        let before = match limit.law() {
            Law::SlidingWindow(_) => self.counted(&calendar, window - 1),
            _ => 0,
        };
        let length = end - start;
        let faded = before * (end - now).min(length - 1) / length;
        Look { available: (capacity - used - faded).max(0), used, before, reset: end - now }
    }

    fn counted(&self, calendar: &Calendar, window: i128) -> i128 {
        let mut sum = 0;
        for (at, event) in &self.events {
            if calendar.window_at(*at) == window {
                match event {
                    Event::Debit(units) => sum += units,
                    Event::Credit(units) => sum -= units,
                    Event::DebitParts(_) | Event::Lent(_) | Event::Freed(_) => {}
                }
            }
        }
        sum
    }
}

pub(super) fn rate(limit: &Limit) -> Rate {
    Rate::new(limit, limit.law().capacity().into())
}
