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

mod decide;
mod find;
mod write;

use std::sync::MutexGuard;

use smallvec::SmallVec;
use tollgate_core::{Action, Charge, Clock, Cost, Law, Now, State, Verdict};

use crate::{shard::Shard, store::Counters, word::Word};

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

#[derive(Debug)]
struct Counter<'c> {
    charge: Charge<'c>,
    law: &'c Law,
    fingerprint: u64,
    /// The slot of its own, held.
    slot: Option<Held>,
    elsewhere: Elsewhere,
    /// What was found, as the limit now in force counts it.
    before: State,
    /// Whether to write the state even if nothing was charged: it is not what is stored.
    must_write: bool,
    state: State,
    /// The sum of the costs so far; `None` once that is beyond 64 bits.
    asked: Option<Cost>,
}

/// A slot by its place in the table, and the word it had when it was held.
#[derive(Clone, Copy, Debug)]
struct Held {
    index: usize,
    word: Word,
}

/// Where a counter without a live slot of its own is counted.
#[derive(Clone, Copy, Debug)]
enum Elsewhere {
    Nowhere,
    /// Beside the table.
    Wide,
    /// By a counter that several keys share.
    Shared,
    /// Under the period its limit had before, in a slot or beside the table.
    FormerSlot(Held),
    FormerWide(u64),
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
        let decisions = match mode {
            Mode::Charge => transaction.charge(charges),
            Mode::Inspect(Action::Peek) => transaction.peek(charges),
            Mode::Inspect(Action::Refund) => {
                transaction.rewrite(charges, |law, state, cost| law.refund(state, now, cost))
            }
            Mode::Inspect(_) => transaction.rewrite(charges, |law, _, _| law.fresh(now)),
        };
        transaction.write_all();
        if mode == Mode::Inspect(Action::Reset) {
            transaction.forget_formers(charges);
        }
        Verdict::of(decisions, now)
    }
}
