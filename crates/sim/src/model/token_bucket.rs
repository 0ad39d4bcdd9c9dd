//! Token bucket: its level, replayed from every event.

use super::{moment::Moment, rate::Rate, recount::Recount};

#[derive(Clone, Debug)]
pub(super) struct TokenBucket {
    rate: Rate,
    /// When the replay begins.
    start: i128,
    /// The level then.
    level: i128,
    events: Vec<Event>,
}

/// Something spent (below zero) or given back, in units.
#[derive(Clone, Copy, Debug)]
struct Event {
    at: i128,
    change: i128,
}

impl TokenBucket {
    /// A bucket in which so many units are missing.
    pub(super) const fn new(rate: Rate, at: Moment, missing: i128) -> Self {
        Self { rate, start: at.steady, level: rate.full - missing, events: Vec::new() }
    }

    /// D14: goes on with another size, or with what is missing at another rate.
    pub(super) fn replace(&mut self, rate: Rate, at: Moment) {
        if rate.is_as_fast_as(&self.rate) {
            self.level += rate.full - self.rate.full;
            self.rate = rate;
        } else {
            let missing = rate.carry(self.missing(at), &self.rate);
            *self = Self::new(rate, at, missing);
        }
    }

    /// When anything was last admitted: the bucket's own time, which a late request does not turn back.
    fn own_time(&self) -> i128 {
        let spent = self.events.iter().filter(|event| event.change < 0);
        spent.map(|event| event.at).fold(self.start, i128::max)
    }

    /// Units missing.
    fn missing(&self, at: Moment) -> i128 {
        self.missing_at(at.steady)
    }

    fn missing_at(&self, steady: i128) -> i128 {
        self.rate.full - self.level_at(steady)
    }

    /// The level at a moment. Seen from before the last event, what has been gained until then is
    /// not there yet.
    fn level_at(&self, steady: i128) -> i128 {
        let (mut at, mut level) = (self.start, self.level);
        for event in &self.events {
            level = self.refilled(level, event.at - at);
            level = (level + event.change).min(self.rate.full);
            at = event.at;
        }
        self.refilled(level, steady - at)
    }

    fn refilled(&self, level: i128, elapsed: i128) -> i128 {
        let gained = elapsed.saturating_mul(self.rate.per_micro);
        level.saturating_add(gained).min(self.rate.full)
    }
}

impl Recount for TokenBucket {
    /// What was missing by the bucket's own time is missing now.
    fn settle(&mut self, at: Moment) -> bool {
        let own_time = self.own_time();
        let is_ahead = own_time - at.steady > self.rate.length;
        if is_ahead {
            *self = Self::new(self.rate, at, self.missing_at(own_time));
        }
        is_ahead
    }

    fn used(&self, at: Moment) -> i128 {
        self.rate.tokens(self.missing(at))
    }

    fn fits(&self, at: Moment, cost: i128) -> bool {
        cost * self.rate.per_token <= self.level_at(at.steady)
    }

    fn reset_after(&self, at: Moment) -> i128 {
        self.rate.micros(self.missing(at))
    }

    fn charge(&mut self, at: Moment, cost: i128) {
        self.events.push(Event { at: at.steady, change: -(cost * self.rate.per_token) });
    }

    fn inherit(&mut self, at: Moment, used: i128) {
        let missing = self.rate.inherited(used * self.rate.per_token);
        *self = Self::new(self.rate, at, missing);
    }

    fn refund(&mut self, at: Moment, cost: i128) {
        // A full bucket takes nothing, not even note of the time.
        if self.missing(at) > 0 {
            self.events.push(Event { at: at.steady, change: cost * self.rate.per_token });
        }
    }
}
