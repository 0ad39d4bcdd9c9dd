//! What API keys and users with a quota have used since somebody last asked.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{
        AtomicBool, AtomicU64,
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

/// What somebody used since it was last asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Used {
    /// Who.
    pub user: User,
    /// Requests that were allowed.
    pub allowed: u64,
    /// Requests that were denied.
    pub denied: u64,
    /// When the last one was.
    pub last_at: Timestamp,
}

/// Those who have used anything since it was last asked for.
#[derive(Debug, Default)]
pub(super) struct UsedLately(Mutex<Vec<Arc<Counted>>>);

/// What one of them used. It outlives changes of the entry.
#[derive(Debug)]
pub(crate) struct Counted {
    user: User,
    allowed: AtomicU64,
    denied: AtomicU64,
    last_at: AtomicU64,
    is_listed: AtomicBool,
    list: Arc<UsedLately>,
}

impl Counted {
    pub(super) fn new(user: User, list: &Arc<UsedLately>) -> Arc<Self> {
        Arc::new(Self {
            user,
            allowed: AtomicU64::new(0),
            denied: AtomicU64::new(0),
            last_at: AtomicU64::new(0),
            is_listed: AtomicBool::new(false),
            list: Arc::clone(list),
        })
    }

    pub(crate) fn allowed(self: &Arc<Self>, at: Timestamp) {
        self.allowed.fetch_add(1, Relaxed);
        self.note(at);
    }

    pub(crate) fn denied(self: &Arc<Self>, at: Timestamp) {
        self.denied.fetch_add(1, Relaxed);
        self.note(at);
    }

    fn note(self: &Arc<Self>, at: Timestamp) {
        self.last_at.fetch_max(at.as_micros(), Relaxed);
        // Whoever is on the list is not put there again, which would be a lock for each request.
        if !self.is_listed.load(Relaxed) && !self.is_listed.swap(true, AcqRel) {
            let mut list = self.list.0.lock().unwrap_or_else(PoisonError::into_inner);
            list.push(Arc::clone(self));
        }
    }
}

impl UsedLately {
    /// Hands out what was used, at most of so many, and begins anew for them.
    pub(super) fn take(&self, most: usize) -> Vec<Used> {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = list.len().min(most);
        let rest = list.split_off(count);
        let taken = std::mem::replace(&mut *list, rest);
        drop(list);
        let used = taken.into_iter().map(|counted| {
            // Off the list first: what comes in between is on it again, and counted then or now.
            counted.is_listed.store(false, Relaxed);
            Used {
                allowed: counted.allowed.swap(0, AcqRel),
                denied: counted.denied.swap(0, AcqRel),
                last_at: Timestamp::from_micros(counted.last_at.load(Relaxed)),
                user: counted.user.clone(),
            }
        });
        used.filter(|used| used.allowed > 0 || used.denied > 0)
            .collect()
    }
}
