//! What was debited of one counter.

use tollgate_core::{Law, Limit, Timestamp};

use crate::{extent::window, key::Key, lease::Asserted};

#[derive(Debug)]
pub(super) struct Entry {
    limit: Limit,
    /// Net debits of this node, ever, as last heard from Redis.
    total: u64,
    /// When that was, and the window that it was in.
    at: Timestamp,
    window: u64,
    /// The total that a server was told last, and which: the one that may have lost counters since then.
    told: Told,
    /// The total when that window began, and when the one before did.
    at_start: u64,
    at_start_before: u64,
}

/// What was debited of one counter, as a [`crate::Journal`] keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Debit {
    pub(crate) limit: Limit,
    pub(crate) total: u64,
    pub(crate) at: Timestamp,
    pub(crate) at_start: u64,
    pub(crate) at_start_before: u64,
}

/// What a node has to say of one counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) key: Key,
    pub(crate) limit: Limit,
    pub(crate) asserted: Asserted,
    told: Told,
}

/// Since when a server may have lost counters, and a total that it was told after that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) since: u64,
    pub(super) total: u64,
}

impl Claim {
    /// Whether the server that may have lost counters since then does not know it yet.
    pub(crate) fn is_new_to(&self, since: u64) -> bool {
        let total = self.asserted.known;
        self.told != Told { since, total }
    }
}

impl Entry {
    pub(super) fn new(limit: &Limit, total: u64, at: Timestamp) -> Self {
        Self {
            limit: limit.clone(),
            total,
            at,
            window: window(limit, at),
            told: Told::default(),
            at_start: 0,
            at_start_before: 0,
        }
    }

    pub(super) fn of(debit: &Debit) -> Self {
        Self {
            at_start: debit.at_start,
            at_start_before: debit.at_start_before,
            ..Self::new(&debit.limit, debit.total, debit.at)
        }
    }

    pub(super) fn debit(&self) -> Debit {
        Debit {
            limit: self.limit.clone(),
            total: self.total,
            at: self.at,
            at_start: self.at_start,
            at_start_before: self.at_start_before,
        }
    }

    pub(super) fn note(&mut self, limit: &Limit, total: u64, at: Timestamp) {
        // Two replies may have overtaken each other.
        if at <= self.at && total <= self.total {
            return;
        }
        if self.limit != *limit {
            // By another limit windows are others, and so may be what is counted: all of it counts as of now.
            *self = Self::new(limit, total, at);
            return;
        }
        let window = window(&self.limit, at);
        let is_next = window == self.window.saturating_add(1);
        if is_next {
            (self.at_start_before, self.at_start) = (self.at_start, self.total);
        }
        // The record may have expired meanwhile, and its totals may have begun anew: then all of it is of now.
        let was_long_ago = window > self.window.saturating_add(1);
        self.window = self.window.max(window);
        if was_long_ago || total < self.at_start {
            (self.at_start, self.at_start_before) = (0, 0);
        }
        self.total = total;
        self.at = self.at.max(at);
    }

    /// Whether anything of it can still count.
    pub(super) fn counts(&self, now: Timestamp) -> bool {
        let window = window(&self.limit, now);
        match self.limit.law() {
            Law::FixedWindow(_) => window <= self.window,
            _ => window <= self.window.saturating_add(1),
        }
    }

    /// A server knows this of it now.
    pub(super) const fn is_told(&mut self, told: Told) {
        self.told = told;
    }

    pub(super) fn claim(&self, key: &Key) -> Option<Claim> {
        let present = self.total.saturating_sub(self.at_start);
        let before = self.at_start.saturating_sub(self.at_start_before);
        let (present, before) = match self.limit.law() {
            Law::FixedWindow(_) => (present, 0),
            Law::SlidingWindow(_) => (present, before),
            // Their windows are ours: long enough that what was debited before them does not count.
            _ => (present.saturating_add(before), 0),
        };
        (present > 0 || before > 0).then(|| Claim {
            key: key.clone(),
            limit: self.limit.clone(),
            asserted: Asserted { known: self.total, present, before, at: self.at },
            told: self.told,
        })
    }
}
