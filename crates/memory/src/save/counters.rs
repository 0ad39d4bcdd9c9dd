//! Which counters are saved, and where they go when they are loaded.

use std::io::{self, Read, Write};

use tollgate_core::{Bucket, Clock, Fingerprinter, Law, Now, Period, State, Timestamp};

use super::{
    LoadError,
    file::{Contents, Header, Reader, Writer},
    record::{Kept, Record},
};
use crate::{
    class::Life,
    overflow::Owner,
    pack::Packed,
    shard::Entry,
    store::{Counters, MemoryStore},
    word::Word,
};

/// Counters of this period and longer are saved.
pub const SAVED_PERIOD_MIN: Period = Period::HOUR;

impl<C: Clock> MemoryStore<C> {
    /// Writes the counters of long periods, and says how many. Traffic goes on meanwhile; each counter
    /// is written as it is when its turn comes. Counters of algorithms of your own are not written.
    ///
    /// ```
    /// use tollgate_core::{Charge, Cost, CounterKey, ImmediateStore, Limit, RuleId, SystemClock};
    /// use tollgate_memory::MemoryStore;
    ///
    /// let limit: Limit = "1/day".parse().unwrap();
    /// let charge = [Charge::new(CounterKey::new(RuleId::default(), b"user:42"), &limit, Cost::ONE)];
    /// let store = MemoryStore::with_capacity(1_000, SystemClock);
    /// assert!(store.charge_now(&charge).is_allowed());
    ///
    /// let mut file = Vec::new();
    /// assert_eq!(store.save(&mut file)?, 1);
    /// let restarted = MemoryStore::load(file.as_slice(), 5_000, SystemClock).unwrap();
    /// assert!(!restarted.charge_now(&charge).is_allowed());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What `out` says.
    pub fn save(&self, out: &mut impl Write) -> io::Result<usize> {
        let now = self.clock.now();
        let mut writer = Writer::new(Contents::Counters, out);
        writer.header(&Header { secrets: self.counters.hash.secrets(), saved_at: now.wall })?;
        let mut count = 0;
        for record in self.counters.records(now) {
            record.write(&mut writer)?;
            count += 1;
        }
        self.counters.write_sketches(&mut writer, now)?;
        writer.finish()?;
        Ok(count)
    }

    /// A store for `keys` keys that goes on with saved counters; the capacity may be another than
    /// before. What has run out since is left behind.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the file is not whole and ours; nothing of it is used then.
    pub fn load(input: impl Read, keys: usize, clock: C) -> Result<Self, LoadError> {
        Self::load_with_bounds(input, keys, Self::OVERFLOW_BYTES_DEFAULT, clock)
    }

    /// As [`MemoryStore::load`], with the bounds of [`MemoryStore::with_bounds`].
    ///
    /// # Errors
    ///
    /// As [`MemoryStore::load`].
    pub fn load_with_bounds(
        input: impl Read,
        keys: usize,
        overflow_bytes: usize,
        clock: C,
    ) -> Result<Self, LoadError> {
        let now = clock.now();
        let mut reader = Reader::new(Contents::Counters, input)?;
        let Header { secrets, saved_at } = reader.header()?;
        let hash = Fingerprinter::with_secrets(secrets);
        let counters = Counters::new(keys, overflow_bytes, hash);
        while !reader.is_at_end() {
            let fingerprint = reader.word()?;
            if fingerprint == 0 && !reader.is_without_sketches() {
                counters.read_sketches(&mut reader, saved_at, now)?;
                break;
            }
            if fingerprint == 0 {
                return Err(LoadError::Damaged("a counter belongs to nobody"));
            }
            let record = Record::read(fingerprint, &mut reader, saved_at, now)?;
            counters.restore(record, now);
        }
        Ok(Self { clock, counters })
    }
}

impl Counters {
    /// The live counters of long periods.
    fn records(&self, now: Now) -> impl Iterator<Item = Record> {
        let packed = self.table.taken().filter_map(move |slot| {
            let fingerprint = slot.owner();
            let word = slot.read_of(fingerprint)?;
            let code = self.classes.code(word.class())?;
            let (law, state) = self.read(word, now)?;
            let capacity = self.classes.capacity(word.class());
            let kept = Kept::Packed { code, capacity };
            let owner = (fingerprint, self.classes.scope(word.class()));
            let is_kept = code.life() == Life::Long && !law.is_fresh(&state, now);
            is_kept.then(|| Record::new(owner, kept, state, law, now))
        });
        let wide = (0..self.shards.count()).flat_map(move |shard| {
            let entries = self.shards.lock(shard).wide.clone();
            entries.into_iter().filter_map(move |entry| {
                let is_kept = is_long(&entry.law) && !entry.law.is_fresh(&entry.state, now);
                let law = is_kept.then_some(&entry.law)?;
                Some(Record::new(
                    (entry.id, entry.scope),
                    Kept::Wide(law.clone()),
                    entry.state.clone(),
                    law,
                    now,
                ))
            })
        });
        packed.chain(wide)
    }

    fn restore(&self, record: Record, now: Now) {
        let Record { fingerprint, scope, kept, state } = record;
        let (law, capacity) = match kept {
            Kept::Packed { code, capacity } => (code.law(), Some((code, capacity))),
            Kept::Wide(law) => (Some(law), None),
        };
        let Some(law) = law.filter(|law| !law.is_fresh(&state, now)) else {
            return;
        };
        let words_max = self.shards.overflow_words();
        if let Some((code, capacity)) = capacity {
            let class = self.classes.find_or_give(code, scope, capacity);
            if !self.restore_slot(fingerprint, class, (&law, &state), now) {
                let law = &law;
                let owner = Owner { fingerprint, scope, law, capacity };
                let mut shard = self.shards.lock(self.shards.of(fingerprint));
                shard.overflow.add(owner, &state, words_max, now);
            }
            return;
        }
        let budget = self.shards.log_budget(now);
        let mut state = state;
        budget.exchange(&law.fresh(now), &mut state);
        let entry = Entry { id: fingerprint, scope, law, state, kept_until: Timestamp::EPOCH };
        let mut shard = self.shards.lock(self.shards.of(fingerprint));
        if shard.insert_wide(entry, budget, words_max, now) {
            self.tally.evicted();
        }
    }

    fn restore_slot(
        &self,
        fingerprint: u64,
        class: Option<u16>,
        (law, state): (&Law, &State),
        now: Now,
    ) -> bool {
        let (Some(class), Some(payload)) = (class, repack(law, state, now)) else {
            return false;
        };
        let word = Word::EMPTY.with_state(class, payload);
        let rule = self.classes.scope(class).map(|scope| scope.rule);
        self.take_slot((fingerprint, rule), word, now, (&mut [], false))
    }
}

/// The payload of a state; `None` if it does not fit one.
fn repack(law: &Law, state: &State, now: Now) -> Option<u64> {
    match (law, state) {
        (Law::TokenBucket(bucket), State::Bucket(state)) => bucket.pack(*state, now),
        (Law::LeakyBucket(bucket), State::Bucket(state)) => bucket.pack(*state, now),
        (Law::FixedWindow(window), State::Fixed(state)) => window.pack(*state, now),
        (Law::SlidingWindow(window), State::Sliding(state)) => window.pack(*state, now),
        _ => None,
    }
}

fn is_long(law: &Law) -> bool {
    let hour = SAVED_PERIOD_MIN.length();
    let is_long_bucket = |bucket: &Bucket| bucket.length() >= hour;
    match law {
        Law::TokenBucket(bucket) => is_long_bucket(bucket.bucket()),
        Law::LeakyBucket(bucket) => is_long_bucket(bucket.bucket()),
        Law::FixedWindow(window) => window.period().length() >= hour,
        Law::SlidingWindow(window) => window.period().length() >= hour,
        Law::SlidingLog(log) => log.period() >= hour,
        _ => false,
    }
}
