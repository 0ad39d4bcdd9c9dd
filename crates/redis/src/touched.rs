//! What this node has debited lately, so that it can be told again to a Redis that has lost it.

use std::{
    collections::HashMap,
    hash::BuildHasher as _,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};

use foldhash::fast::RandomState;
use tollgate_core::{Law, Limit, Micros, Now, Timestamp};

use crate::{exact::Parts, extent::Extent, key::Key, lease::Asserted, record};

/// Counters that are kept in mind at once. What is debited of others is counted as forgotten: should Redis lose it, it
/// stays lost.
const KEYS_MAX: usize = 65_536;
/// Parts of the table, so that those who note rarely wait for each other.
const PARTS: usize = 16;
const PART_MAX: usize = KEYS_MAX / PARTS;

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

#[derive(Debug)]
struct Entry {
    limit: Limit,
    /// Net debits of this node, ever, as last heard from Redis.
    total: u64,
    /// When that was, and the window that it was in.
    at: Timestamp,
    window: u64,
    /// The total that a server was told last, and which: the one that may have lost counters since then.
    told: Told,
    /// The total when that window began, and when the one before did.
    at_start: u64,
    at_start_before: u64,
}

/// What a node has to say of one counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) key: Key,
    pub(crate) limit: Limit,
    pub(crate) asserted: Asserted,
    told: Told,
}

/// Since when a server may have lost counters, and a total that it was told after that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Told {
    since: u64,
    total: u64,
}

impl Claim {
    /// Whether the server that may have lost counters since then does not know it yet.
    pub(crate) fn is_new_to(&self, since: u64) -> bool {
        let total = self.asserted.known;
        self.told != Told { since, total }
    }
}

impl Touched {
    /// One that says there how far it reaches.
    pub(crate) fn with(extent: Arc<Extent>) -> Self {
        Self {
            extent,
            ..Self::default()
        }
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
        part.keys
            .insert(key.clone(), Entry::new(limit, total, now.wall));
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
                entry.told = Told { since, total };
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
        let now = Timestamp::from_micros(self.latest.load(Relaxed));
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

impl Entry {
    fn new(limit: &Limit, total: u64, at: Timestamp) -> Self {
        Self {
            limit: limit.clone(),
            total,
            at,
            window: window(limit, at),
            told: Told::default(),
            at_start: 0,
            at_start_before: 0,
        }
    }

    fn note(&mut self, limit: &Limit, total: u64, at: Timestamp) {
        // Two replies may have overtaken each other.
        if at <= self.at && total <= self.total {
            return;
        }
        if self.limit != *limit {
            // By another limit windows are others, and so may be what is counted: all of it counts as of now.
            *self = Self::new(limit, total, at);
            return;
        }
        let window = window(&self.limit, at);
        let is_next = window == self.window.saturating_add(1);
        if is_next {
            (self.at_start_before, self.at_start) = (self.at_start, self.total);
        }
        // The record may have expired meanwhile, and its totals may have begun anew: then all of it is of now.
        let was_long_ago = window > self.window.saturating_add(1);
        self.window = self.window.max(window);
        if was_long_ago || total < self.at_start {
            (self.at_start, self.at_start_before) = (0, 0);
        }
        self.total = total;
        self.at = self.at.max(at);
    }

    /// Whether anything of it can still count.
    fn counts(&self, now: Timestamp) -> bool {
        let window = window(&self.limit, now);
        match self.limit.law() {
            Law::FixedWindow(_) => window <= self.window,
            _ => window <= self.window.saturating_add(1),
        }
    }

    fn claim(&self, key: &Key) -> Option<Claim> {
        let present = self.total.saturating_sub(self.at_start);
        let before = self.at_start.saturating_sub(self.at_start_before);
        let (present, before) = match self.limit.law() {
            Law::FixedWindow(_) => (present, 0),
            Law::SlidingWindow(_) => (present, before),
            // Their windows are ours: long enough that what was debited before them does not count.
            _ => (present.saturating_add(before), 0),
        };
        (present > 0 || before > 0).then(|| Claim {
            key: key.clone(),
            limit: self.limit.clone(),
            asserted: Asserted {
                known: self.total,
                present,
                before,
                at: self.at,
            },
            told: self.told,
        })
    }
}

/// The window that a moment is in: of buckets and logs one that is as long as anything counts.
fn window(limit: &Limit, at: Timestamp) -> u64 {
    let length = match limit.law() {
        Law::FixedWindow(_) | Law::SlidingWindow(_) => return limit.period().window_at(at),
        Law::TokenBucket(_) | Law::LeakyBucket(_) => fills_in(limit),
        _ => limit.period().length().get(),
    };
    at.as_micros() / length.max(1)
}

pub(crate) fn fills_in(limit: &Limit) -> u64 {
    Parts::of(limit, limit.law().capacity()).q.saturating_add(1)
}

/// Whether a counter that is not there may have been one that still counted: a server may have lost some at `since`.
pub(crate) fn is_perhaps_lost(limit: &Limit, since: u64, now: Now) -> bool {
    if since == 0 {
        return false;
    }
    let lost_at = Timestamp::from_micros(since);
    let period = limit.period();
    let (lost_in, present) = (period.window_at(lost_at), period.window_at(now.wall));
    let lasts = |micros: u64| now.steady.as_micros() < since.saturating_add(micros);
    match limit.law() {
        Law::FixedWindow(_) => present <= lost_in,
        Law::SlidingWindow(_) => present <= lost_in.saturating_add(1),
        Law::TokenBucket(_) | Law::LeakyBucket(_) => lasts(fills_in(limit)),
        _ => lasts(period.length().get()),
    }
}

/// The first moment at which a counter that is not there is certainly not a lost one.
pub(crate) fn doubt_ends(limit: &Limit, since: Timestamp) -> Timestamp {
    let period = limit.period();
    let lost_in = period.window_at(since);
    match limit.law() {
        Law::FixedWindow(_) => period.start_of(lost_in.saturating_add(1)),
        Law::SlidingWindow(_) => period.start_of(lost_in.saturating_add(2)),
        Law::TokenBucket(_) | Law::LeakyBucket(_) => {
            since.saturating_add(Micros::new(fills_in(limit)))
        }
        _ => since.saturating_add(period.length()),
    }
}

#[cfg(test)]
#[path = "touched_tests.rs"]
mod tests;
