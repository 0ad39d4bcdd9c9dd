//! The store, and the fast way through it.

use tollgate_core::{
    Action, Answer, Charge, Clock, Fingerprinter, ImmediateStore, Law, Now, SystemClock, Verdict,
};

use crate::{
    class::Classes,
    pack::{Packed, Stepped},
    shard::Shards,
    slot::Slot,
    stats::{Stats, Tally},
    table::{HALF_USED, Table, unpack},
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
    /// Keys a store has room for unless told otherwise: 23 MB when all of them are in use.
    pub const CAPACITY_DEFAULT: usize = 1_000_000;

    /// The most keys a store can have room for: 23 GB.
    pub const CAPACITY_MAX: usize = 1 << 30;

    /// A store for [`MemoryStore::CAPACITY_DEFAULT`] keys.
    pub fn new(clock: C) -> Self {
        Self::with_capacity(Self::CAPACITY_DEFAULT, clock)
    }

    /// A store for this many keys, at most [`MemoryStore::CAPACITY_MAX`]. It takes 23 bytes for each, as
    /// they come.
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
        self.counters.charge(charges, &self.clock)
    }

    #[inline]
    fn allows_now(&self, charges: &[Charge<'_>]) -> bool {
        self.counters.allows(charges, &self.clock)
    }

    fn inspect_now(&self, action: Action, charges: &[Charge<'_>]) -> Verdict {
        Transaction::run(&self.counters, &self.clock, Mode::Inspect(action), charges)
    }

    fn charge_batch_now(&self, requests: &[&[Charge<'_>]], verdicts: &mut Vec<Verdict>) {
        self.counters
            .charge_batch_now(requests, verdicts, &self.clock);
    }
}

impl Counters {
    pub(crate) fn new(keys: usize, hash: Fingerprinter) -> Self {
        let keys = keys.min(MemoryStore::<SystemClock>::CAPACITY_MAX);
        Self {
            hash,
            classes: Classes::new(),
            table: Table::new(keys),
            shards: Shards::new(keys),
            tally: Tally::default(),
        }
    }

    #[inline]
    pub(crate) fn charge(&self, charges: &[Charge<'_>], clock: &impl Clock) -> Verdict {
        if let [charge] = charges {
            let (fingerprint, now) = self.approach(charge, clock);
            if let Some(verdict) = self.charge_one(charge, fingerprint, now) {
                return verdict;
            }
        }
        Transaction::run(self, clock, Mode::Charge, charges)
    }

    /// One charge the fast way; `None` if that is not open to it.
    #[inline]
    pub(crate) fn charge_one(
        &self,
        charge: &Charge<'_>,
        fingerprint: u64,
        now: Now,
    ) -> Option<Verdict> {
        let decide = |answer| Verdict::single(charge.limit.decide(answer), now);
        self.charge_in_place(charge, fingerprint, now, decide)
    }

    /// As [`Counters::charge`]; the numbers that nobody asks for are not worked out.
    #[inline]
    fn allows(&self, charges: &[Charge<'_>], clock: &impl Clock) -> bool {
        if let [charge] = charges {
            let (fingerprint, now) = self.approach(charge, clock);
            let is_allowed = |answer: Answer| answer.outcome.is_allowed();
            if let Some(answer) = self.charge_in_place(charge, fingerprint, now, is_allowed) {
                return answer;
            }
        }
        Transaction::run(self, clock, Mode::Charge, charges).is_allowed()
    }

    /// Whose counter, and when. The counter's line is on its way from memory while the clock is read.
    #[inline]
    fn approach(&self, charge: &Charge<'_>, clock: &impl Clock) -> (u64, Now) {
        let fingerprint = self.fingerprint(charge);
        std::hint::black_box(self.table.touch(fingerprint));
        (fingerprint, clock.now())
    }

    #[inline]
    pub(crate) fn fingerprint(&self, charge: &Charge<'_>) -> u64 {
        self.hash.counter(charge.key, charge.limit.period())
    }

    /// One charge on a counter that has a slot. The answer is read where it is made, so that what is
    /// not read is not computed.
    #[inline(always)]
    fn charge_in_place<R>(
        &self,
        charge: &Charge<'_>,
        fingerprint: u64,
        now: Now,
        read: impl Fn(Answer) -> R,
    ) -> Option<R> {
        let step = Step {
            fingerprint,
            now,
            charge,
        };
        match charge.limit.law() {
            Law::TokenBucket(bucket) => self.step_in_place(bucket, step, read),
            Law::LeakyBucket(bucket) => self.step_in_place(bucket, step, read),
            Law::FixedWindow(window) => self.step_in_place(window, step, read),
            Law::SlidingWindow(window) => self.step_in_place(window, step, read),
            _ => None,
        }
    }

    /// `None` if the key has no slot of this class, or may be counted elsewhere.
    #[inline(always)]
    fn step_in_place<A: Packed, R>(
        &self,
        algorithm: &A,
        Step {
            fingerprint,
            now,
            charge,
        }: Step<'_>,
        read: impl Fn(Answer) -> R,
    ) -> Option<R> {
        let (_, slot) = self.table.find(fingerprint)?;
        loop {
            let word = slot.read_of(fingerprint)?;
            let (class, payload) = (word.class(), word.payload());
            if !algorithm.reads_like(self.classes.law(class)?) {
                return None;
            }
            // The limit lately had another period: a key may still be counted under that.
            let has_former =
                !charge.former.is_empty() && !cfg!(mutant = "fast-way-overlooks-a-former-period");
            if has_former && algorithm.is_fresh(&algorithm.unpack(payload, now), now) {
                return None;
            }
            let (answer, stepped) = algorithm.step_packed((payload, now), charge.cost, &read);
            let (payload, share) = match stepped {
                Stepped::To { payload, share } => (payload, share),
                Stepped::Unchanged => {
                    if word.share() < HALF_USED {
                        refresh_share(slot, word, algorithm, now);
                    }
                    return Some(answer);
                }
                Stepped::Elsewhere => return None,
            };
            if slot.swap(word, word.with_state(class, share, payload)) {
                return Some(answer);
            }
        }
    }

    /// The algorithm that wrote a word and the state in it; `None` if nothing is counted.
    pub(crate) fn read(&self, word: Word, now: Now) -> Option<(&Law, tollgate_core::State)> {
        unpack(word, &self.classes, now)
    }
}

/// A lowered limit makes a counter more used than its word says; eviction must not take it for little
/// used. If the word has changed meanwhile, whoever changed it knew better.
#[cold]
fn refresh_share<A: Packed>(slot: Slot<'_>, word: Word, algorithm: &A, now: Now) {
    let payload = word.payload();
    let share = algorithm.share(algorithm.unpack(payload, now), now);
    if share > word.share() {
        let _is_newer = slot.swap(word, word.with_state(word.class(), share, payload));
    }
}

/// One charge on one slot.
struct Step<'a> {
    fingerprint: u64,
    now: Now,
    charge: &'a Charge<'a>,
}
