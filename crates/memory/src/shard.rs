//! The side table: what a word cannot hold, and the sketches of what has no place at all.
//!
//! Each key belongs to one shard. Whoever holds its lock may decide where the key lives: in the table,
//! here, or nowhere. So no key is ever counted in two places.

use std::{
    cmp::Reverse,
    sync::{
        Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicI64, AtomicUsize, Ordering::Relaxed},
    },
};

use tollgate_core::{Law, Log, Now, State, Timestamp};

use crate::{
    class::Scope,
    overflow::{Overflow, Owner},
};

/// Keys a shard holds beside the table.
const WIDE_MAX: usize = 16;
/// So many of them may be keys that the table would hold, where it is crowded.
const WIDE_SPARE: usize = 4;
/// The least words that the sketches of a shard take.
const OVERFLOW_WORDS_MIN: usize = 32;
/// Table keys per shard. Small stores have more shards for their keys, so that limits which need the
/// side table find room there; large ones fewer, since each takes some bytes.
const KEYS_PER_SHARD: usize = 64;
const KEYS_PER_SHARD_LARGE: usize = 256;
const SHARDS_LARGE: usize = 4_096;
const SHARDS_MIN: usize = 64;
/// Admissions that all logs together may remember, however few keys there is room for: enough for 64 of
/// the longest.
const LOG_ENTRIES_MIN: usize = 64_000;
/// Shards that are swept at a time when logs run short of room.
const SWEPT_AT_ONCE: usize = 64;
const SHARDS_MAX: usize = 1 << 16;

/// A counter with the algorithm that reads it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) id: u64,
    /// Not known of counters that an earlier release saved.
    pub(crate) scope: Option<Scope>,
    pub(crate) law: Law,
    pub(crate) state: State,
    /// Until then it is kept even if nothing is counted: the key was reset while a sketch counted it.
    pub(crate) kept_until: Timestamp,
}

impl Entry {
    pub(crate) fn parts(&self) -> (&Law, State) {
        (&self.law, self.state.clone())
    }

    pub(crate) fn is_live(&self, now: Now) -> bool {
        self.kept_until > now.steady || !self.law.is_fresh(&self.state, now)
    }
}

/// What one lock protects.
#[derive(Debug, Default)]
pub(crate) struct Shard {
    /// Counters by fingerprint.
    pub(crate) wide: Vec<Entry>,
    /// What keys without a place of their own have used.
    pub(crate) overflow: Overflow,
}

#[derive(Debug)]
pub(crate) struct Shards {
    shards: Box<[Mutex<Shard>]>,
    /// Words that the sketches of a shard may take.
    overflow_words: usize,
    log_budget: LogBudget,
    /// Where to look next for logs that have run out.
    swept: AtomicUsize,
}

impl Shards {
    pub(crate) fn new(keys: usize, overflow_bytes: usize) -> Self {
        let shards = (keys / KEYS_PER_SHARD).min(SHARDS_LARGE).max(keys / KEYS_PER_SHARD_LARGE);
        let count = shards.clamp(SHARDS_MIN, SHARDS_MAX).next_power_of_two();
        let shards = (0..count).map(|_| Mutex::default()).collect();
        let overflow_words = overflow_bytes / size_of::<u64>() / count;
        Self {
            shards,
            overflow_words: overflow_words.max(OVERFLOW_WORDS_MIN),
            log_budget: LogBudget::new(keys.max(LOG_ENTRIES_MIN)),
            swept: AtomicUsize::new(0),
        }
    }

    /// The shard of a key.
    #[expect(clippy::cast_possible_truncation, reason = "masked to the number of shards")]
    pub(crate) const fn of(&self, fingerprint: u64) -> usize {
        // The lower bits: the upper ones choose the line in the table.
        fingerprint as usize & (self.shards.len() - 1)
    }

    #[expect(clippy::indexing_slicing, reason = "`of` masks to the number of shards")]
    pub(crate) fn lock(&self, shard: usize) -> MutexGuard<'_, Shard> {
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The shard's lock, if nobody holds it.
    pub(crate) fn try_lock(&self, shard: usize) -> Option<MutexGuard<'_, Shard>> {
        match self.shards.get(shard)?.try_lock() {
            Ok(shard) => Some(shard),
            Err(TryLockError::Poisoned(shard)) => Some(shard.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    pub(crate) const fn overflow_words(&self) -> usize {
        self.overflow_words
    }

    /// What sliding logs may still remember. When little is left, logs that have run out are looked for
    /// in a few shards, in turn; those that are in use are passed over.
    pub(crate) fn log_budget(&self, now: Now) -> &LogBudget {
        if self.log_budget.is_short() {
            let first = self.swept.fetch_add(SWEPT_AT_ONCE, Relaxed);
            for shard in first..first.saturating_add(SWEPT_AT_ONCE) {
                let shard = self.shards.get(shard % self.shards.len()).map(Mutex::try_lock);
                if let Some(Ok(mut shard)) = shard {
                    shard.drop_run_out(&self.log_budget, now);
                }
            }
        }
        &self.log_budget
    }

    pub(crate) const fn count(&self) -> usize {
        self.shards.len()
    }
}

impl Shard {
    /// Whether a counter that a word could hold may be kept here.
    pub(crate) const fn has_room_to_spare(&self) -> bool {
        self.wide.len() < WIDE_SPARE
    }

    /// Keeps a counter here, at the cost of the least used if need be, whose count goes to a sketch of
    /// `words_max` words; says whether there was one.
    pub(crate) fn insert_wide(
        &mut self,
        entry: Entry,
        budget: &LogBudget,
        words_max: usize,
        now: Now,
    ) -> bool {
        if self.wide.len() >= WIDE_MAX {
            self.drop_run_out(budget, now);
        }
        let evicted = (self.wide.len() >= WIDE_MAX).then(|| self.evict_wide(now));
        if let Some(Some(evicted)) = &evicted {
            budget.give_back(&evicted.state);
            self.overflow.add(evicted.owner(), &evicted.state, words_max, now);
        }
        self.wide.push(entry);
        evicted.is_some()
    }

    /// Takes out the least used of the rule that holds most; one that was reset lately only if all were.
    fn evict_wide(&mut self, now: Now) -> Option<Entry> {
        let rule = |entry: &Entry| entry.scope.map(|scope| scope.rule);
        let held = |of: &Entry| self.wide.iter().filter(|it| rule(it) == rule(of)).count();
        let shares = self.wide.iter().map(|entry| {
            let is_kept = entry.kept_until > now.steady;
            (is_kept, Reverse(held(entry)), used_permille(entry, now))
        });
        let (place, _) = shares.enumerate().min_by_key(|(_, share)| *share)?;
        Some(self.wide.swap_remove(place))
    }

    /// Drops what has run out.
    fn drop_run_out(&mut self, budget: &LogBudget, now: Now) {
        self.wide.retain(|entry| {
            let is_live = entry.is_live(now);
            if !is_live {
                budget.give_back(&entry.state);
            }
            is_live
        });
    }
}

impl Entry {
    fn owner(&self) -> Owner<'_> {
        Owner {
            fingerprint: self.id,
            scope: self.scope,
            law: &self.law,
            capacity: self.law.capacity(),
        }
    }
}

pub(crate) fn position(entries: &[Entry], id: u64) -> Option<usize> {
    entries.iter().position(|entry| entry.id == id)
}

/// The used share.
fn used_permille(entry: &Entry, now: Now) -> u128 {
    let used = entry.law.used(&entry.state, now);
    u128::from(used) * 1_000 / u128::from(entry.law.capacity().max(1))
}

/// How many admissions all sliding logs together may remember. Beyond it a log forgets exactly when
/// its oldest admission was, and keeps counting it.
#[derive(Debug)]
pub(crate) struct LogBudget {
    left: AtomicI64,
}

impl LogBudget {
    fn new(keys: usize) -> Self {
        Self { left: AtomicI64::new(i64::try_from(keys).unwrap_or(i64::MAX)) }
    }

    /// Whether another log might not find room to grow.
    fn is_short(&self) -> bool {
        self.left.load(Relaxed) <= 0
    }

    /// Accounts for one state taking the place of another.
    pub(crate) fn exchange(&self, former: &State, state: &mut State) {
        let before = if let State::Log(log) = former { log.entries().len() } else { 0 };
        match state {
            State::Log(log) => self.settle(before, log),
            _ => self.settle(before, &mut Log::default()),
        }
    }

    /// Settles a log that had `before` entries. One entry is free, so that new keys are served.
    fn settle(&self, before: usize, log: &mut Log) {
        let paid = |entries: usize| i64::try_from(entries.saturating_sub(1)).unwrap_or(i64::MAX);
        let mut grown = paid(log.entries().len()) - paid(before);
        while grown > 0 && self.left.load(Relaxed) < grown {
            log.merge_oldest();
            grown -= 1;
        }
        self.left.fetch_sub(grown, Relaxed);
    }

    pub(crate) fn give_back(&self, state: &State) {
        if let State::Log(log) = state {
            self.settle(log.entries().len(), &mut Log::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use tollgate_core::{LogEntry, Timestamp};

    use super::*;

    fn log(entries: u64) -> Log {
        let entry = |second| LogEntry { at: Timestamp::from_secs(second), cost: 1 };
        Log::new((0..entries).map(entry).collect())
    }

    #[test]
    fn a_log_beyond_the_budget_keeps_its_count() {
        let budget = LogBudget::new(5);
        let mut first = log(5);
        budget.settle(0, &mut first);
        assert_eq!(first.entries().len(), 5);
        let mut second = log(4);
        budget.settle(0, &mut second);
        assert_eq!(second.entries().len(), 2);
        assert_eq!(second.entries().iter().map(|entry| entry.cost).sum::<u64>(), 4);
        budget.give_back(&State::Log(first));
        let mut third = log(5);
        budget.settle(0, &mut third);
        assert_eq!(third.entries().len(), 5);
    }
}
