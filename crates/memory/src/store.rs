//! The store, and the fast way through it.

use tollgate_core::{Action, Answer, Charge, Clock, Cost, ImmediateStore, Law, Now, Verdict};

use crate::{
    class::Classes,
    hash::Fingerprinter,
    pack::Packed,
    shard::Shards,
    slot::Slot,
    stats::{Stats, Tally},
    table::{Table, unpack},
    transaction::{Mode, Transaction},
    word::Word,
};

/// Counters in this process's memory, in a table of fixed size.
///
/// At its bound the store makes room by evicting the counter that uses the least of its limit, never
/// one that uses half or more; [`Stats::evicted_cost`] says how much that can have let through. Where
/// nobody qualifies, new keys share counters, one per shard and limit, so that an exhausted key stays
/// exhausted and a new one is still served.
///
/// ```
/// use std::time::Duration;
/// use tollgate_core::{Charge, Cost, CounterKey, ImmediateStore, Limit, ManualClock, RuleId};
/// use tollgate_memory::MemoryStore;
///
/// let clock = ManualClock::start();
/// let store = MemoryStore::with_capacity(10_000, clock.clone());
/// let limit = "1/s".parse::<Limit>()?.with_burst(1)?;
/// let charge = [Charge::new(CounterKey::new(RuleId::default(), b"user:42"), &limit, Cost::ONE)];
/// assert!(store.charge_now(&charge).is_allowed());
/// assert!(!store.charge_now(&charge).is_allowed());
/// clock.advance(Duration::from_secs(1));
/// assert!(store.charge_now(&charge).is_allowed());
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Debug)]
pub struct MemoryStore<C> {
    pub(crate) clock: C,
    pub(crate) counters: Counters,
}

/// Everything but the clock.
#[derive(Debug)]
pub(crate) struct Counters {
    pub(crate) hash: Fingerprinter,
    pub(crate) classes: Classes,
    pub(crate) table: Table,
    pub(crate) shards: Shards,
    pub(crate) tally: Tally,
}

impl<C: Clock> MemoryStore<C> {
    /// Keys a store has room for unless told otherwise: 24 MB when all of them are in use.
    pub const CAPACITY_DEFAULT: usize = 1_000_000;

    /// A store for [`MemoryStore::CAPACITY_DEFAULT`] keys.
    pub fn new(clock: C) -> Self {
        Self::with_capacity(Self::CAPACITY_DEFAULT, clock)
    }

    /// A store for this many keys. It takes 24 bytes for each, as they come.
    pub fn with_capacity(keys: usize, clock: C) -> Self {
        Self {
            clock,
            counters: Counters::new(keys, Fingerprinter::random()),
        }
    }

    /// The store's size, and what its bound has cost.
    pub fn stats(&self) -> Stats {
        let counters = &self.counters;
        let wide_keys = (0..counters.shards.count())
            .map(|shard| counters.shards.lock(shard).wide.len())
            .sum::<usize>();
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        Stats {
            capacity: count(counters.table.slots()),
            bytes_max: count(counters.table.bytes()),
            wide_keys: count(wide_keys),
            ..counters.tally.read()
        }
    }
}

impl<C: Clock> ImmediateStore for MemoryStore<C> {
    #[inline]
    fn charge_now(&self, charges: &[Charge<'_>]) -> Verdict {
        let now = self.clock.now();
        self.counters.charge(charges, now)
    }

    #[inline]
    fn allows_now(&self, charges: &[Charge<'_>]) -> bool {
        self.counters.allows(charges, self.clock.now())
    }

    fn inspect_now(&self, action: Action, charges: &[Charge<'_>]) -> Verdict {
        Transaction::run(
            &self.counters,
            Mode::Inspect(action),
            charges,
            self.clock.now(),
        )
    }

    fn charge_batch(&self, requests: &[&[Charge<'_>]], verdicts: &mut Vec<Verdict>) {
        self.counters
            .charge_batch(requests, verdicts, self.clock.now());
    }
}

impl Counters {
    pub(crate) fn new(keys: usize, hash: Fingerprinter) -> Self {
        Self {
            hash,
            classes: Classes::new(),
            table: Table::new(keys),
            shards: Shards::new(keys),
            tally: Tally::default(),
        }
    }

    #[inline]
    pub(crate) fn charge(&self, charges: &[Charge<'_>], now: Now) -> Verdict {
        match charges {
            [charge] => self.charge_one(charge, self.fingerprint(charge), now),
            charges => Transaction::run(self, Mode::Charge, charges, now),
        }
    }

    #[inline]
    pub(crate) fn charge_one(&self, charge: &Charge<'_>, fingerprint: u64, now: Now) -> Verdict {
        match self.charge_in_place(charge, fingerprint, now) {
            Some(answer) => Verdict::single(charge.limit.decide(answer), now),
            None => Transaction::run(self, Mode::Charge, std::slice::from_ref(charge), now),
        }
    }

    /// As [`Counters::charge`]; the numbers that nobody asks for are not worked out.
    #[inline]
    fn allows(&self, charges: &[Charge<'_>], now: Now) -> bool {
        if let [charge] = charges
            && let Some(answer) = self.charge_in_place(charge, self.fingerprint(charge), now)
        {
            return answer.outcome.is_allowed();
        }
        Transaction::run(self, Mode::Charge, charges, now).is_allowed()
    }

    #[inline]
    pub(crate) fn fingerprint(&self, charge: &Charge<'_>) -> u64 {
        self.hash.counter(charge.key, charge.limit.period())
    }

    /// One charge on a counter that has a slot.
    #[inline(always)]
    fn charge_in_place(&self, charge: &Charge<'_>, fingerprint: u64, now: Now) -> Option<Answer> {
        match charge.limit.law() {
            Law::TokenBucket(bucket) => self.step_in_place(bucket, fingerprint, now, charge),
            Law::LeakyBucket(bucket) => self.step_in_place(bucket, fingerprint, now, charge),
            Law::FixedWindow(window) => self.step_in_place(window, fingerprint, now, charge),
            Law::SlidingWindow(window) => self.step_in_place(window, fingerprint, now, charge),
            _ => None,
        }
    }

    #[inline(always)]
    fn step_in_place<A: Packed>(
        &self,
        algorithm: &A,
        fingerprint: u64,
        now: Now,
        charge: &Charge<'_>,
    ) -> Option<Answer> {
        let class = self.classes.find(algorithm.code()?)?;
        let (_, slot) = self.table.find(fingerprint)?;
        let is_carried_over = !charge.former.is_empty();
        self.swap_in(
            slot,
            &Step {
                algorithm,
                class,
                fingerprint,
                now,
                cost: charge.cost,
                is_carried_over,
            },
        )
    }

    /// `None` if the slot was given to another key, holds a state of another class, or may not be
    /// where the key is counted.
    #[inline(always)]
    fn swap_in<A: Packed>(&self, slot: Slot<'_>, step: &Step<'_, A>) -> Option<Answer> {
        let Step {
            algorithm,
            class,
            fingerprint,
            now,
            cost,
            is_carried_over,
        } = *step;
        loop {
            let word = slot.read_of(fingerprint)?;
            if word.class() != class {
                return None;
            }
            let state = algorithm.unpack(word.payload(), now);
            if is_carried_over && algorithm.is_fresh(&state, now) {
                return None;
            }
            let (answer, next) = algorithm.step(state, now, cost);
            if next == state {
                return Some(answer);
            }
            let share = algorithm.share(next, now);
            let new = word.with_state(class, share, algorithm.pack(next, now)?);
            if slot.swap(word, new) {
                return Some(answer);
            }
        }
    }

    /// The algorithm that wrote a word and the state in it; `None` if nothing is counted.
    pub(crate) fn read(&self, word: Word, now: Now) -> Option<(&Law, tollgate_core::State)> {
        unpack(word, &self.classes, now)
    }
}

/// One charge on one slot.
struct Step<'a, A> {
    algorithm: &'a A,
    class: u16,
    fingerprint: u64,
    now: Now,
    cost: Cost,
    /// The limit lately had another period, so a key may still be counted under that.
    is_carried_over: bool,
}
