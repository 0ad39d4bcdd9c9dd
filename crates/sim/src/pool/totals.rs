//! What a node remembers of its own debits, to assert it to a server that may have lost some.

use tollgate_core::{Law, Limit};

use super::{Call, counter::rate};
use crate::model::calendar::Calendar;

/// What the pool said that a node has debited in all, and in which window. Times are the pool's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    total: u64,
    at: u64,
    present: u64,
    before: u64,
}

impl Totals {
    /// Notes what the pool said at a moment: what it debited then, and in all. A total may be less than the one before:
    /// units were given back, or the record had run out and began anew. What the pool said earlier is old news.
    pub fn note(&mut self, limit: &Limit, pool_now: u64, (debited, total): (u64, u64)) {
        if pool_now < self.at {
            return;
        }
        let calendar = Calendar::new(limit.period());
        let window = |at: u64| calendar.window_at(at.into());
        match window(pool_now) - window(self.at) {
            0 => {}
            1 => (self.before, self.present) = (self.present, 0),
            _ => (self.before, self.present) = (0, 0),
        }
        self.present += debited;
        // Of two that were said at one moment, the later has the larger total.
        let total = if pool_now == self.at { total.max(self.total) } else { total };
        (self.total, self.at) = (total, pool_now);
    }

    /// Whether there is anything to assert.
    pub const fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The call that asserts it, and asks for nothing.
    pub fn assertion(&self, limit: &Limit, node: &str, sequence: u64) -> Call {
        let present = match limit.law() {
            // What is older has come back to the bucket.
            Law::TokenBucket(_) => {
                let rate = rate(limit);
                u64::try_from(rate.micros(rate.full)).unwrap_or(u64::MAX)
            }
            _ => self.present,
        };
        Call {
            node: node.to_owned(),
            sequence,
            least: 1,
            most: 1,
            known: self.total,
            present,
            before: self.before,
            at: self.at,
            ..Call::default()
        }
    }
}
