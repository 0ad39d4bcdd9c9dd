//! What decisions see of a key that this node leases: one line of the processor's cache.

use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use arc_swap::ArcSwapOption;
use tollgate_core::{Clock, Instants, Limit, Now, Timestamp};

use super::{
    purse::{Purse, Taken, Until},
    wallet::Parts,
};
use crate::verify::Watch;

/// A key that is leased.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct Line {
    /// Whose it is; see [`super::table::Table`].
    pub(super) print: AtomicU64,
    pub(super) purse: Purse,
    /// Until when its tokens may be spent, by the clock that runs through sleep.
    deadline: AtomicU64,
    /// Tokens in the pool when it was last asked.
    pub(super) left: AtomicU64,
    /// When the window ends, or the bucket is full.
    pub(super) reset_at: AtomicU64,
    /// Of the limit by which it was granted; the lowest bits say whether somebody verifies what is admitted, and whether it
    /// is hot.
    pub(super) tag: AtomicU64,
    /// With fewer tokens than this, more are asked for.
    pub(super) low: AtomicU64,
    /// Until then nothing is to be had.
    pub(super) denied_until: AtomicU64,
}

/// What else is known of it, for those who are not served at once.
#[derive(Debug, Default)]
pub(crate) struct Margin {
    /// When it is worth asking again, and for how much nothing is to be had until then.
    pub(super) retry_at: AtomicU64,
    pub(super) denied_cost: AtomicU64,
    /// Units that were asked for in vain since the last report.
    pub(super) unmet: AtomicU64,
    /// Whether more was asked for already.
    pub(super) is_asked: AtomicBool,
    /// Units that requests have set aside; changed only while the holder is held. See [`super::reserve`].
    pub(super) reserved: AtomicU64,
    /// Requests that would rather have no lease call made now.
    pub(super) held_off: AtomicU32,
    /// Its purses while it is hot.
    pub(super) parts: Parts,
    /// Who is told what was admitted.
    pub(super) watch: ArcSwapOption<Watch>,
}

/// What a decision gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Take {
    Got(Taken, Instants),
    /// There are too few.
    Short,
    /// They ran out.
    Ended,
    /// They are another limit's, or another key's by now.
    Foreign,
}

/// What tells limits of one period apart.
#[inline]
pub(crate) fn tag(limit: &Limit) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let law = limit.law();
    let name = u64::from(law.name() as u8);
    (limit.amount().wrapping_mul(ODD) ^ law.capacity())
        .rotate_left(31)
        .wrapping_mul(ODD)
        .rotate_left(17)
        .wrapping_add(name)
        & !NOTES
}

/// The bits of a line's tag that say that the key is verified, and that it is hot.
const WATCHED: u64 = 1;
const SPLIT: u64 = 2;
const NOTES: u64 = WATCHED | SPLIT;

impl Line {
    /// Takes tokens for a decision. The moment is read after they were taken and compared with a deadline that was
    /// read before: a thread that was held up in between does not spend what has run out.
    #[inline]
    pub(crate) fn take(&self, ids: (u64, u64), cost: u64, clock: &impl Clock) -> Take {
        let deadline = self.deadline();
        let Some(taken) = self.purse.take(cost) else {
            return self.short(ids);
        };
        let take = self.check(ids, taken, deadline, clock);
        if !matches!(take, Take::Got(..)) {
            self.purse.put_back(taken, cost, Until::Report);
        }
        take
    }

    /// Nothing was there to be taken.
    pub(super) fn short(&self, ids: (u64, u64)) -> Take {
        match self.is_of(ids) {
            true => Take::Short,
            false => Take::Foreign,
        }
    }

    /// Whether what was taken may be spent; if not, it is to be put back.
    #[inline]
    pub(super) fn check(
        &self,
        ids: (u64, u64),
        taken: Taken,
        deadline: Timestamp,
        clock: &impl Clock,
    ) -> Take {
        let at = clock.instants();
        match self.is_of(ids) {
            true if at.boot < deadline => Take::Got(taken, at),
            true => Take::Ended,
            false => Take::Foreign,
        }
    }

    /// Whether it is (still) of this key and limit.
    #[inline]
    fn is_of(&self, (print, tag): (u64, u64)) -> bool {
        self.print.load(Acquire) == print && self.tag.load(Acquire) & !NOTES == tag
    }

    /// Whether it is of this limit.
    pub(super) fn is_tagged(&self, tag: u64) -> bool {
        self.tag.load(Relaxed) & !NOTES == tag
    }

    /// Whether somebody verifies what is admitted of this key.
    #[inline]
    pub(super) fn is_watched(&self) -> bool {
        self.tag.load(Relaxed) & WATCHED != 0
    }

    /// Whether it has several purses.
    #[inline]
    pub(super) fn is_split(&self) -> bool {
        self.tag.load(Relaxed) & SPLIT != 0
    }

    pub(super) fn set_split(&self) {
        self.tag.fetch_or(SPLIT, Release);
    }

    pub(super) fn set_whole(&self) {
        self.tag.fetch_and(!SPLIT, Release);
    }

    pub(super) fn watched(&self) {
        self.tag.fetch_or(WATCHED, Relaxed);
    }

    pub(crate) fn deadline(&self) -> Timestamp {
        Timestamp::from_micros(self.deadline.load(Acquire))
    }

    pub(super) fn set_deadline(&self, deadline: Timestamp) {
        self.deadline.store(deadline.as_micros(), Release);
    }

    pub(super) fn show(&self, left: u64, reset_at: Timestamp, low: u64) {
        self.left.store(left, Relaxed);
        self.reset_at.store(reset_at.as_micros(), Relaxed);
        self.low.store(low, Relaxed);
    }
}

impl Margin {
    /// As it is of a key that has just got its place.
    pub(super) fn clear(&self, line: &Line) {
        line.set_deadline(Timestamp::from_micros(0));
        line.denied_until.store(0, Relaxed);
        self.unmet.store(0, Relaxed);
        self.reserved.store(0, Relaxed);
        self.is_asked.store(false, Release);
    }

    /// Tells whoever verifies that another epoch has begun, and when Redis last confirmed the lease.
    pub(super) fn turn(&self, line: &Line, heard: Option<Now>) {
        if let Some(watch) = &*self.watch.load() {
            watch.turn(line.purse.epoch(), heard);
        }
    }

    /// Remembers that so much, or more, is not to be had for a while.
    pub(super) fn deny(&self, line: &Line, cost: u64, until: Timestamp, retry_at: Timestamp) {
        self.denied_cost.store(cost, Relaxed);
        self.retry_at.store(retry_at.as_micros(), Relaxed);
        line.denied_until.store(until.as_micros(), Release);
    }

    /// When there may be so much again, as far as was heard last; none if that was forgiven since.
    pub(super) fn denied_last(&self, line: &Line, cost: u64) -> Option<Timestamp> {
        let is_denied = line.denied_until.load(Acquire) > 0;
        let is_denied = is_denied && cost >= self.denied_cost.load(Relaxed);
        is_denied.then(|| Timestamp::from_micros(self.retry_at.load(Relaxed)))
    }

    /// When to ask again for so much, if nothing is to be had now.
    pub(super) fn denied(&self, line: &Line, cost: u64, boot: Timestamp) -> Option<Timestamp> {
        let until = line.denied_until.load(Acquire);
        let is_denied = boot.as_micros() < until && cost >= self.denied_cost.load(Relaxed);
        is_denied.then(|| Timestamp::from_micros(self.retry_at.load(Relaxed)))
    }
}
