//! What this node has debited lately, so that it can be told again to a Redis that has lost it.

mod entry;
#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    hash::BuildHasher as _,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};

use foldhash::fast::RandomState;
use tollgate_core::{Limit, Micros, Now, Timestamp};

pub(crate) use self::entry::{Claim, Debit};
use self::entry::{Entry, Told};
use crate::{extent::Extent, key::Key, record};

/// Counters that are kept in mind at once, at least. What is debited of others is counted as forgotten: should Redis lose
/// it, counters are in doubt for as long as it may count.
pub(crate) const KEYS_MAX: usize = 65_536;
/// Parts of the table, so that those who note rarely wait for each other.
const PARTS: usize = 16;
/// Keys spread unevenly: none is forgotten because of that.
const PART_MAX: usize = KEYS_MAX / PARTS + KEYS_MAX / PARTS / 8;

/// The counters that this node has touched.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    parts: [Mutex<Part>; PARTS],
    hasher: RandomState,
    len: AtomicUsize,
    /// The moment of Redis' time that was heard of last.
    latest: AtomicU64,
    forgotten: AtomicU64,
    extent: Arc<Extent>,
}

#[derive(Debug, Default)]
struct Part {
    keys: HashMap<Key, Entry, RandomState>,
    /// It is full of what still counts, and looked through again no sooner.
    full_until: Timestamp,
}

impl Touched {
    /// One that says there how far it reaches.
    pub(crate) fn with(extent: Arc<Extent>) -> Self {
        Self { extent, ..Self::default() }
    }

    /// What a process that has ended had debited.
    pub(crate) fn of(debits: impl IntoIterator<Item = (Key, Debit)>) -> Self {
        let touched = Self::default();
        for (key, debit) in debits {
            if let Some(mut part) = touched.part(&key) {
                part.keys.insert(key, Entry::of(&debit));
            }
            touched.len.fetch_add(1, Relaxed);
        }
        touched
    }

    /// What was debited and may still count.
    pub(crate) fn debits(&self) -> Vec<(Key, Debit)> {
        let now = self.latest();
        let mut debits = Vec::with_capacity(self.len.load(Relaxed));
        for part in &self.parts {
            let part = lock(part);
            let counting = part.keys.iter().filter(|(_, entry)| entry.counts(now));
            debits.extend(counting.map(|(key, entry)| (key.clone(), entry.debit())));
        }
        debits
    }

    /// It is so late at least, by the time of Redis.
    pub(crate) fn hear(&self, now: Timestamp) {
        self.latest.fetch_max(now.as_micros(), Relaxed);
    }

    /// The moment of Redis' time that was heard of last.
    pub(crate) fn latest(&self) -> Timestamp {
        Timestamp::from_micros(self.latest.load(Relaxed))
    }

    /// Keeps in mind what Redis said that this node has debited of a counter so far, at a moment of its time.
    pub(crate) fn note(&self, key: &Key, limit: &Limit, total: u64, now: Now) {
        self.latest.store(now.wall.as_micros(), Relaxed);
        self.extent.meet(limit);
        if total == 0 || !record::is_for_scripts(limit) {
            return;
        }
        let Some(mut part) = self.part(key) else {
            return;
        };
        if let Some(entry) = part.keys.get_mut(key) {
            entry.note(limit, total, now.wall);
            return;
        }
        let len = part.keys.len();
        if !part.has_room(now.wall) {
            self.forgotten.fetch_add(1, Relaxed);
            self.extent.forget(now.wall);
            return;
        }
        part.keys.insert(key.clone(), Entry::new(limit, total, now.wall));
        let (before, after) = (len, part.keys.len());
        drop(part);
        self.resized(before, after);
    }

    /// The server that may have lost counters since then knows these now.
    pub(crate) fn told(&self, claims: &[Claim], since: u64) {
        for claim in claims {
            let total = claim.asserted.known;
            let mut part = self.part(&claim.key);
            let entry = part.as_mut().and_then(|part| part.keys.get_mut(&claim.key));
            if let Some(entry) = entry {
                entry.is_told(Told { since, total });
            }
        }
    }

    /// What is to be told of all counters.
    pub(crate) fn claims(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        for part in &self.parts {
            let part = lock(part);
            let told = part.keys.iter();
            claims.extend(told.filter_map(|(key, entry)| entry.claim(key)));
        }
        claims
    }

    /// A counter was made fresh by hand: what was debited before does not count.
    pub(crate) fn forget(&self, key: &Key) {
        let removed = self.part(key).and_then(|mut part| part.keys.remove(key));
        if removed.is_some() {
            self.resized(1, 0);
        }
    }

    /// Forgets what cannot count any more.
    pub(crate) fn sweep(&self) {
        let now = self.latest();
        for part in &self.parts {
            let mut part = lock(part);
            let before = part.keys.len();
            part.sweep(now);
            let after = part.keys.len();
            drop(part);
            self.resized(before, after);
        }
    }

    /// Counters that are kept in mind, and those that could not be.
    pub(crate) fn totals(&self) -> (u64, u64) {
        let len = u64::try_from(self.len.load(Relaxed)).unwrap_or(u64::MAX);
        (len, self.forgotten.load(Relaxed))
    }

    fn resized(&self, before: usize, after: usize) {
        self.len.fetch_add(after.saturating_sub(before), Relaxed);
        self.len.fetch_sub(before.saturating_sub(after), Relaxed);
    }

    fn part(&self, key: &Key) -> Option<MutexGuard<'_, Part>> {
        let place = self.hasher.hash_one(key) % u64::try_from(PARTS).unwrap_or(1);
        let part = self.parts.get(usize::try_from(place).unwrap_or(0))?;
        Some(lock(part))
    }
}

fn lock(part: &Mutex<Part>) -> MutexGuard<'_, Part> {
    // Nothing in here is left half done.
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Part {
    fn has_room(&mut self, now: Timestamp) -> bool {
        const LOOK_EVERY: Micros = Micros::from_secs(1);
        if self.keys.len() >= PART_MAX && now >= self.full_until {
            self.sweep(now);
            self.full_until = now.saturating_add(LOOK_EVERY);
        }
        self.keys.len() < PART_MAX
    }

    fn sweep(&mut self, now: Timestamp) {
        self.keys.retain(|_, entry| entry.counts(now));
    }
}
