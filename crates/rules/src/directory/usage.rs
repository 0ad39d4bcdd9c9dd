//! What API keys and users with a quota have used since somebody last asked.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{
        AtomicBool, AtomicU32, AtomicU64,
        Ordering::{AcqRel, Relaxed},
    },
};

use tollgate_core::Timestamp;

/// Whose use it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum User {
    /// Of an API key, by its id.
    ApiKey(Arc<str>),
    /// Of a user with a quota.
    Quota(Arc<str>),
}

/// What somebody used on one day since it was last asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Used {
    /// Who.
    pub user: User,
    /// The day: days since 1970, UTC.
    pub day: u32,
    /// Requests that were allowed.
    pub allowed: u64,
    /// Requests that were denied.
    pub denied: u64,
    /// When the last one was.
    pub last_at: Timestamp,
}

/// Those who have used anything since it was last asked for.
#[derive(Debug, Default)]
pub(super) struct UsedLately(Mutex<Lists>);

#[derive(Debug, Default)]
struct Lists {
    listed: Vec<Arc<Counted>>,
    /// What was used on days that are over.
    over: Vec<Used>,
}

/// What one of them used. It outlives changes of the entry.
#[derive(Debug)]
pub(crate) struct Counted {
    user: User,
    day: AtomicU32,
    allowed: AtomicU64,
    denied: AtomicU64,
    last_at: AtomicU64,
    is_listed: AtomicBool,
    list: Arc<UsedLately>,
}

const DAY_MICROS: u64 = 24 * 3_600 * 1_000_000;

impl Counted {
    pub(super) fn new(user: User, list: &Arc<UsedLately>) -> Arc<Self> {
        Arc::new(Self {
            user,
            day: AtomicU32::new(0),
            allowed: AtomicU64::new(0),
            denied: AtomicU64::new(0),
            last_at: AtomicU64::new(0),
            is_listed: AtomicBool::new(false),
            list: Arc::clone(list),
        })
    }

    pub(crate) fn allowed(self: &Arc<Self>, at: Timestamp) {
        self.turn_to(at);
        self.allowed.fetch_add(1, Relaxed);
        self.note(at);
    }

    pub(crate) fn denied(self: &Arc<Self>, at: Timestamp) {
        self.turn_to(at);
        self.denied.fetch_add(1, Relaxed);
        self.note(at);
    }

    /// With another day, what was used so far is put aside as that of the day before.
    fn turn_to(&self, at: Timestamp) {
        let day = u32::try_from(at.as_micros() / DAY_MICROS).unwrap_or(u32::MAX);
        if self.day.load(Relaxed) == day {
            return;
        }
        let mut lists = self.list.lists();
        if self.day.load(Relaxed) != day {
            lists.over.extend(self.taken());
            self.day.store(day, Relaxed);
        }
    }

    fn note(self: &Arc<Self>, at: Timestamp) {
        self.last_at.fetch_max(at.as_micros(), Relaxed);
        // Whoever is on the list is not put there again, which would be a lock for each request.
        if !self.is_listed.load(Relaxed) && !self.is_listed.swap(true, AcqRel) {
            self.list.lists().listed.push(Arc::clone(self));
        }
    }

    /// What was used so far; it begins anew.
    fn taken(&self) -> Option<Used> {
        let used = Used {
            user: self.user.clone(),
            day: self.day.load(Relaxed),
            allowed: self.allowed.swap(0, AcqRel),
            denied: self.denied.swap(0, AcqRel),
            last_at: Timestamp::from_micros(self.last_at.load(Relaxed)),
        };
        (used.allowed > 0 || used.denied > 0).then_some(used)
    }
}

impl UsedLately {
    /// Hands out what was used, at most of so many, and begins anew for them.
    pub(super) fn take(&self, most: usize) -> Vec<Used> {
        let mut lists = self.lists();
        let count = lists.over.len().min(most);
        let mut used: Vec<Used> = lists.over.drain(..count).collect();
        let count = lists.listed.len().min(most.saturating_sub(count));
        let listed: Vec<Arc<Counted>> = lists.listed.drain(..count).collect();
        drop(lists);
        used.extend(listed.into_iter().filter_map(|counted| {
            // Off the list first: what comes in between is on it again, and counted then or now.
            counted.is_listed.store(false, Relaxed);
            counted.taken()
        }));
        used
    }

    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
