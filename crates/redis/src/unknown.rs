//! Counters that a server may have lost: nobody knows what is left of them, so policies answer.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use foldhash::fast::RandomState;
use tollgate_core::{Micros, Timestamp};

use crate::key::Key;

/// Counters that are kept in mind at once. Others are asked about each time.
const KEYS_MAX: usize = 65_536;
/// How often it is asked whether a counter is known by now: another node may have told.
const ASK_EVERY: Micros = Micros::from_secs(1);

/// The counters of which Redis did not know whether they were lost.
#[derive(Debug, Default)]
pub(crate) struct Unknown {
    /// Until when each is not asked about, unless doubt has become less since so many times.
    keys: Mutex<HashMap<Key, (Timestamp, u64), RandomState>>,
    /// How many there are, to be read without the lock.
    len: AtomicUsize,
}

impl Unknown {
    /// Redis does not know these.
    pub(crate) fn note<'a>(
        &self,
        unknown: impl IntoIterator<Item = &'a Key>,
        relief: u64,
        now: Timestamp,
    ) {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let until = now.saturating_add(ASK_EVERY);
        for key in unknown {
            if keys.len() >= KEYS_MAX {
                keys.retain(|_, (until, _)| now < *until);
            }
            if keys.len() < KEYS_MAX {
                keys.insert(key.clone(), (until, relief));
            }
        }
        self.len.store(keys.len(), Relaxed);
    }

    /// Whether there is no use in asking about this one now.
    pub(crate) fn has(&self, key: &Key, relief: u64, now: impl Fn() -> Timestamp) -> bool {
        if self.len.load(Relaxed) == 0 {
            return false;
        }
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((until, noted)) = keys.get(key) else {
            return false;
        };
        if *noted == relief && now() < *until {
            return true;
        }
        keys.remove(key);
        self.len.store(keys.len(), Relaxed);
        false
    }
}

#[cfg(test)]
mod tests {
    use tollgate_core::{CounterKey, Period, RuleId};

    use super::*;
    use crate::key::{Name, Names};

    // Proves: C7
    #[test]
    fn an_unknown_counter_is_asked_about_once_a_second() {
        let names = Names { prefix: "rl".to_owned(), naming: |values, part| part("user", values) };
        let key = |user: &[u8]| {
            let key = CounterKey::new(RuleId::new(7), user);
            Name::new(key, &names).counter(Period::MINUTE)
        };
        let (ann, bob) = (key(b"ann"), key(b"bob"));
        let unknown = Unknown::default();
        let at = |millis: u64| Timestamp::from_micros(millis * 1_000);
        let has = |key, millis: u64| unknown.has(key, 0, || at(millis));
        assert!(!has(&ann, 0));
        unknown.note([&ann], 0, Timestamp::from_secs(5));
        assert!(has(&ann, 5_999) && !has(&bob, 5_999));
        assert!(!has(&ann, 6_000));
        assert!(!has(&ann, 5_000), "it is forgotten");
        unknown.note([&ann], 0, Timestamp::from_secs(5));
        assert!(!unknown.has(&ann, 1, || at(5_001)), "doubt has become less");
    }
}
