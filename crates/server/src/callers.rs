//! The callers that have named themselves: how many there are, so that each knows its share of a limit while it must do
//! without us (U4).

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// The most callers that are counted. Whoever comes later is answered all the same.
const CALLERS_MAX: usize = 65_536;
/// The longest name.
const NAME_BYTES_MAX: usize = 64;

/// The names that have a connection open. No clock: who has none is gone.
#[derive(Debug, Default)]
pub(crate) struct Callers {
    connections: Mutex<HashMap<Arc<str>, usize>>,
    count: AtomicU64,
}

/// A connection under a name. It ends with this.
#[derive(Debug)]
pub(crate) struct Registered {
    callers: Arc<Callers>,
    name: Arc<str>,
    counted: Counted,
}

/// Whether there was room for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    Yes,
    No,
}

/// A text that is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a caller names itself by 1 to {NAME_BYTES_MAX} visible characters of ASCII, for example 16 random digits"
)]
pub(crate) struct BadName;

impl Callers {
    /// How many there are.
    #[inline]
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Relaxed)
    }

    /// What a caller is told: at least itself.
    pub(crate) fn told(&self) -> u64 {
        self.count().max(1)
    }

    /// Notes that a connection is of the caller of this name, unless that is known.
    pub(crate) fn register(
        self: &Arc<Self>,
        known: &mut Option<Registered>,
        name: &[u8],
    ) -> Result<(), BadName> {
        let is_known = |known: &Registered| known.name.as_bytes() == name;
        if known.as_ref().is_some_and(is_known) {
            return Ok(());
        }
        let is_sound = name.len() <= NAME_BYTES_MAX && name.iter().all(u8::is_ascii_graphic);
        let name = str::from_utf8(name).map_err(|_| BadName)?;
        if name.is_empty() || !is_sound {
            return Err(BadName);
        }
        // It ends before the other begins: nobody is two.
        *known = None;
        *known = Some(self.registered(name));
        Ok(())
    }

    fn registered(self: &Arc<Self>, name: &str) -> Registered {
        let mut all = self.connections();
        let known = all.get_key_value(name).map(|(name, _)| Arc::clone(name));
        let has_room = known.is_some() || all.len() < CALLERS_MAX;
        let name = known.unwrap_or_else(|| name.into());
        if has_room {
            *all.entry(Arc::clone(&name)).or_default() += 1;
            self.publish(&all);
        }
        Registered {
            callers: Arc::clone(self),
            name,
            counted: if has_room { Counted::Yes } else { Counted::No },
        }
    }

    fn connections(&self) -> MutexGuard<'_, HashMap<Arc<str>, usize>> {
        let locked = self.connections.lock();
        locked.unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, all: &HashMap<Arc<str>, usize>) {
        let count = u64::try_from(all.len()).unwrap_or(u64::MAX);
        self.count.store(count, Relaxed);
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        if self.counted == Counted::No {
            return;
        }
        let mut all = self.callers.connections();
        let Some(open) = all.get_mut(&self.name) else {
            return;
        };
        *open -= 1;
        if *open == 0 {
            all.remove(&self.name);
            self.callers.publish(&all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Proves: U4
    #[test]
    fn a_name_counts_once_until_its_last_connection_ends() {
        let callers = Arc::new(Callers::default());
        assert_eq!((callers.count(), callers.told()), (0, 1));
        let (mut one, mut two, mut other) = (None, None, None);
        callers.register(&mut one, b"a").unwrap();
        callers.register(&mut one, b"a").unwrap();
        callers.register(&mut two, b"a").unwrap();
        assert_eq!(callers.count(), 1);
        callers.register(&mut other, b"b").unwrap();
        assert_eq!((callers.count(), callers.told()), (2, 2));
        drop(one);
        assert_eq!(callers.count(), 2);
        callers.register(&mut two, b"c").unwrap();
        assert_eq!(callers.count(), 2, "it is another now");
        drop((two, other));
        assert_eq!(callers.count(), 0);
        assert!(callers.connections().is_empty());
    }

    #[test]
    fn a_name_is_short_and_visible() {
        let callers = Arc::new(Callers::default());
        let long = [b'a'; NAME_BYTES_MAX + 1];
        let mut known = None;
        for bad in [&b""[..], b"a b", b"a\t", b"\xc3\xa9", b"\xff", &long] {
            assert_eq!(callers.register(&mut known, bad), Err(BadName), "{bad:?}");
        }
        assert!(callers.register(&mut known, &long[1..]).is_ok());
        assert_eq!(callers.register(&mut known, b" "), Err(BadName));
        assert_eq!(callers.count(), 1, "what it was called stays");
    }

    #[test]
    fn beyond_the_bound_nobody_is_counted_nor_remembered() {
        let callers = Arc::new(Callers::default());
        let mut all: Vec<Option<Registered>> = (0..CALLERS_MAX + 10).map(|_| None).collect();
        for (number, known) in all.iter_mut().enumerate() {
            let name = number.to_string();
            callers.register(known, name.as_bytes()).unwrap();
        }
        assert_eq!(callers.count(), 65_536);
        all.truncate(CALLERS_MAX);
        assert_eq!(callers.count(), 65_536);
        all.pop();
        assert_eq!(callers.count(), 65_535);
        let mut late = None;
        callers.register(&mut late, b"late").unwrap();
        assert_eq!(callers.count(), 65_536);
        drop((all, late));
        assert_eq!(callers.count(), 0);
    }
}
