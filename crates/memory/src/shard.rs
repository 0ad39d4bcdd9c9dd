//! The side table: what a word cannot hold, and the shared counters of last resort.
//!
//! Each key belongs to one shard. Whoever holds its lock may decide where the key lives: in the table,
//! here, or nowhere. So no key is ever counted in two places.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicI64, AtomicUsize, Ordering::Relaxed},
};

use tollgate_core::{Law, Log, Now, State};

use crate::table::Evicted;

/// Keys a shard holds beside the table.
const WIDE_MAX: usize = 16;
/// Shared counters a shard holds.
const SHARED_MAX: usize = 4;
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
    pub(crate) law: Law,
    pub(crate) state: State,
}

impl Entry {
    pub(crate) fn parts(&self) -> (&Law, State) {
        (&self.law, self.state.clone())
    }
}

/// What one lock protects.
#[derive(Debug, Default)]
pub(crate) struct Shard {
    /// Counters by fingerprint.
    pub(crate) wide: Vec<Entry>,
    /// Counters by what the keys of a rule's limit have in common, for keys without room of their
    /// own.
    pub(crate) shared: Vec<Entry>,
}

#[derive(Debug)]
pub(crate) struct Shards {
    shards: Box<[Mutex<Shard>]>,
    log_budget: LogBudget,
    /// Where to look next for logs that have run out.
    swept: AtomicUsize,
}

impl Shards {
    pub(crate) fn new(keys: usize) -> Self {
        let shards = (keys / KEYS_PER_SHARD)
            .min(SHARDS_LARGE)
            .max(keys / KEYS_PER_SHARD_LARGE);
        let count = shards.clamp(SHARDS_MIN, SHARDS_MAX).next_power_of_two();
        let shards = (0..count).map(|_| Mutex::default()).collect();
        Self {
            shards,
            log_budget: LogBudget::new(keys.max(LOG_ENTRIES_MIN)),
            swept: AtomicUsize::new(0),
        }
    }

    /// The shard of a key.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "masked to the number of shards"
    )]
    pub(crate) const fn of(&self, fingerprint: u64) -> usize {
        // The lower bits: the upper ones choose the line in the table.
        fingerprint as usize & (self.shards.len() - 1)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "`of` masks to the number of shards"
    )]
    pub(crate) fn lock(&self, shard: usize) -> MutexGuard<'_, Shard> {
        self.shards[shard]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// What sliding logs may still remember. When little is left, logs that have run out are looked for
    /// in a few shards, in turn; those that are in use are passed over.
    pub(crate) fn log_budget(&self, now: Now) -> &LogBudget {
        if self.log_budget.is_short() {
            let first = self.swept.fetch_add(SWEPT_AT_ONCE, Relaxed);
            for shard in first..first.saturating_add(SWEPT_AT_ONCE) {
                let shard = self
                    .shards
                    .get(shard % self.shards.len())
                    .map(Mutex::try_lock);
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
    /// Keeps a counter here; `Err` with it if every place belongs to a key that uses half of its limit
    /// or more.
    #[expect(
        clippy::result_large_err,
        reason = "what is refused goes to another place at once"
    )]
    pub(crate) fn insert_wide(
        &mut self,
        entry: Entry,
        budget: &LogBudget,
        now: Now,
    ) -> Result<Evicted, Entry> {
        match make_room(&mut self.wide, WIDE_MAX, budget, now) {
            Room::Made(evicted) => {
                self.wide.push(entry);
                Ok(evicted)
            }
            Room::HalfUsed => Err(entry),
        }
    }

    /// Lets a key that has no room of its own go over to the counter that the keys of its limit share. If
    /// others count there already, what this key had used is forgotten.
    pub(crate) fn share(&mut self, entry: Entry, budget: &LogBudget, now: Now) -> Evicted {
        let known = position(&self.shared, entry.id).and_then(|place| self.shared.get(place));
        if known.is_some_and(|known| !known.law.is_fresh(&known.state, now)) {
            return Evicted {
                keys: 1,
                cost: entry.law.used(&entry.state, now),
            };
        }
        self.replace_shared(entry, budget, now)
    }

    /// Keeps a shared counter in the place of what was known of it, at the cost of the least used one if
    /// need be.
    pub(crate) fn replace_shared(
        &mut self,
        mut entry: Entry,
        budget: &LogBudget,
        now: Now,
    ) -> Evicted {
        let mut evicted = Evicted::default();
        match position(&self.shared, entry.id) {
            Some(place) => {
                let known = self.shared.swap_remove(place);
                budget.exchange(&known.state, &mut entry.state);
            }
            None => {
                budget.exchange(&entry.law.fresh(now), &mut entry.state);
                evicted = match make_room(&mut self.shared, SHARED_MAX, budget, now) {
                    Room::Made(evicted) => evicted,
                    Room::HalfUsed => evict_least_used(&mut self.shared, budget, now),
                };
            }
        }
        self.shared.push(entry);
        evicted
    }

    /// Drops what has run out.
    fn drop_run_out(&mut self, budget: &LogBudget, now: Now) {
        drop_run_out(&mut self.wide, budget, now);
        drop_run_out(&mut self.shared, budget, now);
    }
}

pub(crate) fn position(entries: &[Entry], id: u64) -> Option<usize> {
    entries.iter().position(|entry| entry.id == id)
}

/// Whether there is a place for one more.
enum Room {
    Made(Evicted),
    /// Everybody uses half of its limit or more.
    HalfUsed,
}

/// Makes room for one more: drops what has run out, else what is least used below half.
fn make_room(entries: &mut Vec<Entry>, max: usize, budget: &LogBudget, now: Now) -> Room {
    if entries.len() >= max {
        drop_run_out(entries, budget, now);
    }
    if entries.len() < max {
        return Room::Made(Evicted::default());
    }
    if entries.iter().all(|entry| used_permille(entry, now) >= 500) {
        return Room::HalfUsed;
    }
    Room::Made(evict_least_used(entries, budget, now))
}

fn drop_run_out(entries: &mut Vec<Entry>, budget: &LogBudget, now: Now) {
    entries.retain(|entry| {
        let is_live = !entry.law.is_fresh(&entry.state, now);
        if !is_live {
            budget.give_back(&entry.state);
        }
        is_live
    });
}

fn evict_least_used(entries: &mut Vec<Entry>, budget: &LogBudget, now: Now) -> Evicted {
    let shares = entries
        .iter()
        .map(|entry| used_permille(entry, now))
        .enumerate();
    let Some((place, _)) = shares.min_by_key(|(_, share)| *share) else {
        return Evicted::default();
    };
    let evicted = entries.swap_remove(place);
    budget.give_back(&evicted.state);
    Evicted {
        keys: 1,
        cost: evicted.law.used(&evicted.state, now),
    }
}

/// The used share; the capacity is known here, unlike in the table.
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
        Self {
            left: AtomicI64::new(i64::try_from(keys).unwrap_or(i64::MAX)),
        }
    }

    /// Whether another log might not find room to grow.
    fn is_short(&self) -> bool {
        self.left.load(Relaxed) <= 0
    }

    /// Accounts for one state taking the place of another.
    pub(crate) fn exchange(&self, former: &State, state: &mut State) {
        let before = if let State::Log(log) = former {
            log.entries().len()
        } else {
            0
        };
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
        let entry = |second| LogEntry {
            at: Timestamp::from_secs(second),
            cost: 1,
        };
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
        assert_eq!(
            second.entries().iter().map(|entry| entry.cost).sum::<u64>(),
            4
        );
        budget.give_back(&State::Log(first));
        let mut third = log(5);
        budget.settle(0, &mut third);
        assert_eq!(third.entries().len(), 5);
    }
}
