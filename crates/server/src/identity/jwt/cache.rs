//! Tokens that were verified a moment ago.

use std::{
    fmt,
    hash::BuildHasher as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use foldhash::quality::RandomState;

use super::Facts;

/// A bounded number of tokens with what they say. Only tokens whose signature was right get in, so nobody
/// can push others out without one.
pub(super) struct Cache {
    sets: Box<[Mutex<Set>]>,
    state: RandomState,
}

#[derive(Default)]
struct Set {
    kept: [Option<Kept>; WAYS],
    /// Whose turn it is to make room.
    next: usize,
}

struct Kept {
    token: Box<str>,
    facts: Arc<Facts>,
    /// Of the keys that it was verified with.
    generation: u64,
}

/// How many tokens of one hash are kept.
const WAYS: usize = 4;
const SETS: usize = 8_192;
/// Longer tokens are verified each time: the 32,768 that are kept take 64 MiB at most.
const TOKEN_BYTES_MAX: usize = 2_048;

impl Cache {
    pub(super) fn new() -> Self {
        Self {
            sets: (0..SETS).map(|_| Mutex::default()).collect(),
            state: RandomState::default(),
        }
    }

    /// What a token says, if it was verified with these keys.
    pub(super) fn find(&self, token: &str, generation: u64) -> Option<Arc<Facts>> {
        let set = self.set(token)?;
        let mut kept = set.kept.iter().flatten();
        let found = kept.find(|kept| kept.generation == generation && *kept.token == *token);
        found.map(|kept| Arc::clone(&kept.facts))
    }

    /// Keeps a token that was verified.
    pub(super) fn keep(&self, token: &str, generation: u64, facts: &Arc<Facts>) {
        if token.len() > TOKEN_BYTES_MAX {
            return;
        }
        let Some(mut set) = self.set(token) else {
            return;
        };
        let next = set.next;
        set.next = (next + 1) % WAYS;
        if let Some(place) = set.kept.get_mut(next) {
            *place = Some(Kept {
                token: token.into(),
                facts: Arc::clone(facts),
                generation,
            });
        }
    }

    fn set(&self, token: &str) -> Option<MutexGuard<'_, Set>> {
        let hash = usize::try_from(self.state.hash_one(token)).unwrap_or_default();
        let set = self.sets.get(hash % SETS)?;
        Some(set.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Tokens are never shown.
impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cache({} sets)", self.sets.len())
    }
}
