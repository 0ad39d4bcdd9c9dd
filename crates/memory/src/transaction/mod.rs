//! The general way through the store: several charges, keys without a slot, states of another class
//! or period, peeks, refunds and resets.
//!
//! 1. Lock the shards of all counters, in order: now nobody else can give any of them a place.
//! 2. Find each counter and hold its slots, in order: now nobody else can change any of them.
//! 3. Read the clock, so that no state is ahead of it because this thread was held up. Decide.
//! 4. Write all or nothing, and let go.
//!
//! Counters that had no place are given one last. Whoever looks for one of them meanwhile waits for
//! its shard, so nobody sees a part of it.

mod counter;
mod decide;
mod find;
mod write;

use std::sync::MutexGuard;

use smallvec::SmallVec;
use tollgate_core::{Action, Charge, Clock, Now, Verdict};

use self::counter::Counter;
use crate::{shard::Shard, store::Counters};

/// What to do with the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Charge,
    Inspect(Action),
}

/// The counters of one request, all to itself.
#[derive(Debug)]
pub(crate) struct Transaction<'s, 'c> {
    store: &'s Counters,
    now: Now,
    /// By number, ascending.
    shards: SmallVec<[(usize, MutexGuard<'s, Shard>); 2]>,
    counters: SmallVec<[Counter<'c>; 2]>,
}

impl<'s, 'c> Transaction<'s, 'c> {
    pub(crate) fn run(
        store: &'s Counters,
        clock: &impl Clock,
        mode: Mode,
        charges: &[Charge<'c>],
    ) -> Verdict {
        let mut transaction = Self::open(store, clock, charges);
        let now = transaction.now;
        let fallback = transaction.fallback();
        let decisions = match mode {
            Mode::Charge => transaction.charge(charges),
            Mode::Inspect(Action::Peek) => transaction.peek(charges),
            Mode::Inspect(Action::Refund) => transaction.refund(charges),
            Mode::Inspect(_) => transaction.reset(charges),
        };
        transaction.write_all();
        if mode == Mode::Inspect(Action::Reset) {
            transaction.forget_formers(charges);
        }
        let verdict = Verdict::of(decisions, now);
        match fallback {
            Some(policy) if mode != Mode::Inspect(Action::Reset) => verdict.by_policy(policy),
            _ => verdict,
        }
    }
}

/// A clock or an algorithm that somebody brought may panic: nobody must wait for a slot that is held by
/// no one. Counters that were written are no longer here.
impl Drop for Transaction<'_, '_> {
    fn drop(&mut self) {
        self.let_go();
    }
}
