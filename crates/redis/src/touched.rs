//! What this node has debited lately, so that it can be told again to a Redis that has lost it.

use std::{
    collections::HashMap,
    hash::BuildHasher as _,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};

use foldhash::fast::RandomState;
use tollgate_core::{Law, Limit, Now, Timestamp};

use crate::{exact::Parts, key::Key, lease::Asserted, record};

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
    /// The latest moment of Redis' time that was heard of.
    latest: AtomicU64,
    forgotten: AtomicU64,
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
}

impl Touched {
    /// Keeps in mind what Redis said that this node has debited of a counter so far, at a moment of its time.
    pub(crate) fn note(&self, key: &Key, limit: &Limit, total: u64, now: Now) {
        self.latest.fetch_max(now.wall.as_micros(), Relaxed);
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
            return;
        }
        part.keys
            .insert(key.clone(), Entry::new(limit, total, now.wall));
        let (before, after) = (len, part.keys.len());
        drop(part);
        self.resized(before, after);
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
        const LOOK_EVERY: tollgate_core::Micros = tollgate_core::Micros::from_secs(1);
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
            at_start: 0,
            at_start_before: 0,
        }
    }

    fn note(&mut self, limit: &Limit, total: u64, at: Timestamp) {
        if self.limit != *limit {
            // By another limit windows are others, and so may be what is counted: all of it counts as of now.
            *self = Self::new(limit, total, at);
            return;
        }
        let window = window(&self.limit, at);
        if window > self.window {
            let is_next = window == self.window + 1;
            self.at_start_before = if is_next { self.at_start } else { self.total };
            self.at_start = self.total;
            self.window = window;
        }
        // The record has expired meanwhile, and its totals began anew.
        if total < self.at_start {
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

fn fills_in(limit: &Limit) -> u64 {
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

#[cfg(test)]
mod tests {
    use tollgate_core::{Charge, Cost, CounterKey, RuleId};

    use super::*;
    use crate::exact::Item;
    use crate::key::Names;

    fn note(touched: &Touched, item: &Item, total: u64, now: Now) {
        touched.note(&item.key, &item.limit, total, now);
    }

    fn item(limit: &str, user: &str) -> Item {
        let names = Names {
            prefix: "rl".to_owned(),
            naming: |values, part| part("user", values),
        };
        let limit = tollgate_testkit::limit(limit);
        let key = CounterKey::new(RuleId::new(7), user.as_bytes());
        Item::new(&Charge::new(key, &limit, Cost::ONE), &names)
    }

    fn secs(secs: u64) -> Now {
        Now::at(Timestamp::from_secs(secs))
    }

    /// Known, present and before.
    fn told(touched: &Touched, now: Now) -> Vec<(u64, u64, u64)> {
        touched.latest.store(now.wall.as_micros(), Relaxed);
        touched.sweep();
        let claims = touched.claims();
        let numbers = claims.iter().map(|claim| claim.asserted);
        numbers
            .map(|told| (told.known, told.present, told.before))
            .collect()
    }

    // Proves: C7
    #[test]
    fn what_was_debited_is_told_by_windows() {
        let touched = Touched::default();
        let sliding = item("100/min sliding_window", "ann");
        note(&touched, &sliding, 10, secs(60));
        note(&touched, &sliding, 15, secs(70));
        assert_eq!(told(&touched, secs(80)), [(15, 15, 0)]);
        note(&touched, &sliding, 22, secs(125));
        assert_eq!(told(&touched, secs(130)), [(22, 7, 15)]);
        note(&touched, &sliding, 30, secs(185));
        assert_eq!(told(&touched, secs(190)), [(30, 8, 7)]);
        note(&touched, &sliding, 31, secs(600));
        assert_eq!(told(&touched, secs(600)), [(31, 1, 0)], "after a pause");
        assert_eq!(told(&touched, secs(779)).len(), 0, "nothing of it counts");
        assert_eq!(touched.totals(), (0, 0));
    }

    #[test]
    fn a_fixed_window_tells_of_the_present_one_and_a_bucket_of_what_it_may_owe() {
        let touched = Touched::default();
        note(
            &touched,
            &item("100/min fixed_window", "ann"),
            10,
            secs(100),
        );
        assert_eq!(told(&touched, secs(119)), [(10, 10, 0)]);
        assert_eq!(told(&touched, secs(120)), []);
        let bucket = item("60/min burst 60", "bob");
        note(&touched, &bucket, 5_000_000, secs(1_000));
        note(&touched, &bucket, 8_000_000, secs(1_060));
        assert_eq!(told(&touched, secs(1_061)), [(8_000_000, 8_000_000, 0)]);
        assert_eq!(told(&touched, secs(1_300)), []);
    }

    #[test]
    fn a_total_that_began_anew_is_believed() {
        let touched = Touched::default();
        let item = item("100/min fixed_window", "ann");
        note(&touched, &item, 90, secs(0));
        note(&touched, &item, 95, secs(60));
        note(&touched, &item, 3, secs(61));
        assert_eq!(told(&touched, secs(62)), [(3, 3, 0)]);
    }

    #[test]
    fn no_more_than_so_many_are_kept_in_mind() {
        let touched = Touched::default();
        for number in 0..KEYS_MAX + 5_000 {
            let item = item("100/min fixed_window", &number.to_string());
            note(&touched, &item, 1, secs(60));
        }
        let (kept, forgotten) = touched.totals();
        assert!(kept <= u64::try_from(KEYS_MAX).unwrap());
        assert_eq!(kept + forgotten, u64::try_from(KEYS_MAX + 5_000).unwrap());
        note(
            &touched,
            &item("100/min fixed_window", "late"),
            1,
            secs(120),
        );
        assert!(
            touched.totals().0 < kept,
            "there is room in the next window"
        );
    }

    // Proves: C7
    #[test]
    fn what_may_be_lost_is_lost_until_it_would_not_count() {
        let is_lost = |limit: &str, since: u64, now: u64| {
            is_perhaps_lost(
                &tollgate_testkit::limit(limit),
                since * 1_000_000,
                secs(now),
            )
        };
        assert!(!is_lost("9/min fixed_window", 0, 70));
        assert!(is_lost("9/min fixed_window", 70, 119));
        assert!(!is_lost("9/min fixed_window", 70, 120));
        assert!(is_lost("9/min sliding_window", 70, 179));
        assert!(!is_lost("9/min sliding_window", 70, 180));
        assert!(is_lost("60/min burst 30", 70, 100));
        assert!(!is_lost("60/min burst 30", 70, 101));
        assert!(is_lost("9/min sliding_log", 70, 129));
        assert!(!is_lost("9/min sliding_log", 70, 130));
    }
}
