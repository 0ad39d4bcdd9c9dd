//! The store, and the fast way through it.

use tollgate_core::{
    Action, Answer, Charge, Clock, Fingerprinter, ImmediateStore, Law, Now, SystemClock, Verdict,
};

use crate::{
    class::Classes,
    overflow::Foldable,
    pack::{Packed, Stepped},
    shard::Shards,
    stats::{RuleOverflow, Stats, Tally},
    table::{Table, unpack},
    transaction::{Mode, Transaction},
    word::Word,
};

/// Counters in this process's memory, in a table of fixed size.
///
/// At its bound the store makes room by giving up a counter of the rule that holds most of the slots
/// within reach, one that uses the least of its limit. What it has used stays in a sketch of bounded size
/// that never counts too little, so that an exhausted key stays exhausted; [`MemoryStore::overflows`] tells
/// the odds that one who has used nothing is taken for another.
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

    /// Bytes that the sketches may take unless told otherwise.
    pub const OVERFLOW_BYTES_DEFAULT: usize = 16 << 20;

    /// A store for [`MemoryStore::CAPACITY_DEFAULT`] keys.
    pub fn new(clock: C) -> Self {
        Self::with_capacity(Self::CAPACITY_DEFAULT, clock)
    }

    /// A store for this many keys, at most [`MemoryStore::CAPACITY_MAX`]. It takes 23 bytes for each, as
    /// they come.
    pub fn with_capacity(keys: usize, clock: C) -> Self {
        Self::with_bounds(keys, Self::OVERFLOW_BYTES_DEFAULT, clock)
    }

    /// As [`MemoryStore::with_capacity`], with so many bytes for the sketches that count what the table has
    /// no room for; at least 256 for each shard.
    pub fn with_bounds(keys: usize, overflow_bytes: usize, clock: C) -> Self {
        Self { clock, counters: Counters::new(keys, overflow_bytes, Fingerprinter::random()) }
    }

    /// The same empty store with known secrets, so that tests see the same collisions with every run.
    #[doc(hidden)]
    #[must_use]
    pub fn seeded(mut self, secrets: [u64; 4]) -> Self {
        self.counters.hash = Fingerprinter::with_secrets(secrets);
        self
    }

    /// The store's size, and what its bound has cost.
    pub fn stats(&self) -> Stats {
        let counters = &self.counters;
        let (mut wide_keys, mut overflow_words) = (0, 0);
        for shard in 0..counters.shards.count() {
            let shard = counters.shards.lock(shard);
            wide_keys += shard.wide.len();
            let sketches = shard.overflow.sketches().iter();
            overflow_words += sketches.map(Foldable::words).sum::<usize>();
        }
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let overflow_words_max = counters.shards.overflow_words() * counters.shards.count();
        Stats {
            capacity: count(counters.table.slots()),
            bytes_max: count(counters.table.bytes()),
            wide_keys: count(wide_keys),
            overflow_bytes: count(overflow_words * size_of::<u64>()),
            overflow_bytes_max: count(overflow_words_max * size_of::<u64>()),
            ..counters.tally.read()
        }
    }
}

impl<C: Clock> MemoryStore<C> {
    /// Which rules have keys in the sketches, and how good those are. Locks every shard in turn, as
    /// [`MemoryStore::stats`] does.
    pub fn overflows(&self) -> Vec<RuleOverflow> {
        let (now, shards) = (self.clock.now(), &self.counters.shards);
        let mut rules: Vec<RuleOverflow> = Vec::new();
        for shard in 0..shards.count() {
            let shard = shards.lock(shard);
            for sketch in shard.overflow.sketches() {
                let (rule, fill) = (sketch.scope.map(|it| it.rule), sketch.fill(now));
                let place = rules.iter().position(|it| it.rule == rule);
                let place = place.unwrap_or_else(|| {
                    rules.push(RuleOverflow::of(rule));
                    rules.len() - 1
                });
                if let Some(overflow) = rules.get_mut(place) {
                    overflow.odds_millionths += fill.odds;
                    overflow.keys += fill.live;
                    overflow.bytes += sketch.words() * size_of::<u64>();
                }
            }
        }
        // A new key falls into any of the shards.
        let count = u64::try_from(shards.count()).unwrap_or(u64::MAX);
        for overflow in &mut rules {
            overflow.odds_millionths = overflow.odds_millionths.div_ceil(count).min(1_000_000);
        }
        rules.retain(|overflow| overflow.keys > 0);
        rules
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
        self.counters.charge_batch_now(requests, verdicts, &self.clock);
    }
}

impl Counters {
    pub(crate) fn new(keys: usize, overflow_bytes: usize, hash: Fingerprinter) -> Self {
        let keys = keys.min(MemoryStore::<SystemClock>::CAPACITY_MAX);
        Self {
            hash,
            classes: Classes::new(),
            table: Table::new(keys),
            shards: Shards::new(keys, overflow_bytes),
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
        let step = Step { fingerprint, now, charge };
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
        Step { fingerprint, now, charge }: Step<'_>,
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
            let payload = match stepped {
                Stepped::To(payload) => payload,
                Stepped::Unchanged => return Some(answer),
                Stepped::Elsewhere => return None,
            };
            if slot.swap(word, word.with_state(class, payload)) {
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
struct Step<'a> {
    fingerprint: u64,
    now: Now,
    charge: &'a Charge<'a>,
}
