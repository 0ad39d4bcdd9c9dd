//! A table of fixed size: what it forgets is up to whoever asks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Entries that share a lock, and one of which makes room for a new one.
const WAYS: usize = 8;

/// Values by fingerprints that nobody outside can predict. A lock is held for nanoseconds, by those whose
/// fingerprints fall together.
#[derive(Debug)]
pub(crate) struct Table<V> {
    sets: Box<[Mutex<Set<V>>]>,
}

type Set<V> = Vec<(u128, V)>;

impl<V> Table<V> {
    /// Room for this many, taken as they come.
    pub(crate) fn new(entries: usize) -> Self {
        let sets = entries.div_ceil(WAYS).max(1);
        Self { sets: (0..sets).map(|_| Mutex::new(Vec::new())).collect() }
    }

    /// Reads or changes what is known of `key`.
    pub(crate) fn with<R>(&self, key: u128, read: impl FnOnce(&mut V) -> R) -> Option<R> {
        let mut set = self.set(key)?;
        let (_, value) = set.iter_mut().find(|(known, _)| *known == key)?;
        Some(read(value))
    }

    /// Puts a value in place of what is known of `key`. Where there is no room, that of the lowest rank leaves.
    pub(crate) fn put(&self, key: u128, value: V, rank: impl Fn(&V) -> u64) {
        let Some(mut set) = self.set(key) else {
            return;
        };
        if let Some(place) = set.iter_mut().find(|(known, _)| *known == key) {
            place.1 = value;
        } else if set.len() < WAYS {
            set.push((key, value));
        } else if let Some(place) = set.iter_mut().min_by_key(|(_, value)| rank(value)) {
            *place = (key, value);
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.sets.iter().map(|set| lock(set).len()).sum()
    }

    fn set(&self, key: u128) -> Option<MutexGuard<'_, Set<V>>> {
        let sets = u128::try_from(self.sets.len()).ok()?;
        let index = usize::try_from(key.checked_rem(sets)?).ok()?;
        self.sets.get(index).map(lock)
    }
}

/// No value is ever half written, so a lock is good even if somebody panicked.
fn lock<V>(set: &Mutex<Set<V>>) -> MutexGuard<'_, Set<V>> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_rank_leaves_and_the_size_stays() {
        let table = Table::new(16);
        for key in 0..1_000_u128 {
            table.put(key, u64::try_from(key).unwrap(), |value| *value);
            assert!(table.len() <= 16);
            assert_eq!(table.with(key, |value| u128::from(*value)), Some(key));
        }
        let highest = (984..1_000).filter(|key| table.with(*key, |_| ()).is_some());
        assert_eq!(highest.count(), 16);
    }

    #[test]
    fn what_is_known_is_replaced() {
        let table = Table::new(16);
        table.put(7, "old", |_| 0);
        table.put(7, "new", |_| 0);
        assert_eq!((table.len(), table.with(7, |value| *value)), (1, Some("new")));
        assert_eq!(table.with(9, |value| *value), None);
    }
}
