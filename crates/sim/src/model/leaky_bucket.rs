//! Leaky bucket: the list of departures.

use super::{moment::Moment, rate::Rate, recount::Recount};

#[derive(Clone, Debug)]
pub(super) struct LeakyBucket {
    rate: Rate,
    /// When anything was last admitted: the bucket's own time, which a late request does not turn back.
    own_time: i128,
    departures: Vec<Departure>,
}

/// A request leaves and keeps the way busy for a while. Moments in units of the rate, so that none
/// is rounded.
#[derive(Clone, Copy, Debug)]
struct Departure {
    leaves: i128,
    free: i128,
}

impl LeakyBucket {
    /// A bucket whose way is busy for so many units.
    pub(super) fn new(rate: Rate, at: Moment, busy: i128) -> Self {
        let leaves = at.steady * rate.per_micro;
        let free = leaves + busy;
        Self { rate, own_time: at.steady, departures: vec![Departure { leaves, free }] }
    }

    /// D14: goes on with another queue, or with what still has to leave at another rate.
    pub(super) fn replace(&mut self, rate: Rate, at: Moment) {
        if rate.is_as_fast_as(&self.rate) {
            self.rate = rate;
        } else {
            let busy = rate.carry(self.busy(at), &self.rate);
            *self = Self::new(rate, at, busy);
        }
    }

    /// Units until the way is free.
    fn busy(&self, at: Moment) -> i128 {
        self.busy_at(at.steady)
    }

    fn busy_at(&self, steady: i128) -> i128 {
        let now = steady.saturating_mul(self.rate.per_micro);
        (self.free().saturating_sub(now)).max(0)
    }

    fn free(&self) -> i128 {
        self.departures.last().map_or(0, |last| last.free)
    }
}

impl Recount for LeakyBucket {
    /// Who still had to leave by the bucket's own time still has to leave now.
    fn settle(&mut self, at: Moment) -> bool {
        let is_ahead = self.own_time - at.steady > self.rate.length;
        if is_ahead {
            *self = Self::new(self.rate, at, self.busy_at(self.own_time));
        }
        is_ahead
    }

    fn used(&self, at: Moment) -> i128 {
        self.rate.tokens(self.busy(at))
    }

    /// The last unit of the request must leave before the queue's last place would.
    fn fits(&self, at: Moment, cost: i128) -> bool {
        self.busy(at) + cost * self.rate.per_token <= self.rate.full
    }

    fn reset_after(&self, at: Moment) -> i128 {
        self.rate.micros(self.busy(at))
    }

    fn delay(&self, at: Moment) -> i128 {
        self.rate.micros(self.busy(at))
    }

    fn charge(&mut self, at: Moment, cost: i128) {
        let leaves = self.free().max(at.steady * self.rate.per_micro);
        let free = leaves + cost * self.rate.per_token;
        self.departures.push(Departure { leaves, free });
        self.own_time = self.own_time.max(at.steady);
    }

    fn inherit(&mut self, at: Moment, used: i128) {
        let busy = self.rate.inherited(used * self.rate.per_token);
        *self = Self::new(self.rate, at, busy);
    }

    /// The last places in the queue are given back; who already left has left.
    fn refund(&mut self, at: Moment, cost: i128) {
        let now = at.steady * self.rate.per_micro;
        if self.free() <= now {
            return;
        }
        let free = (self.free() - cost * self.rate.per_token).max(now);
        while self.departures.len() > 1 && self.departures.last().is_some_and(|d| d.leaves > free) {
            self.departures.pop();
        }
        if let Some(last) = self.departures.last_mut() {
            last.leaves = last.leaves.min(free);
            last.free = free;
        }
    }
}
