//! A clock for tests and simulations.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use crate::{Clock, Micros, Now, Timestamp};

/// A clock that moves only when told to. Clones share the hands.
///
/// ```
/// use std::time::Duration;
/// use tollgate_core::{Clock, ManualClock, Micros};
///
/// let clock = ManualClock::start();
/// let before = clock.now();
/// clock.advance(Duration::from_millis(5));
/// assert_eq!(clock.now().steady.since(before.steady), Micros::from_millis(5));
///
/// clock.step_wall(-3_600_000_000); // somebody sets the time of day back by an hour
/// assert!(clock.now().wall < before.wall);
/// assert!(clock.now().steady > before.steady);
/// ```
#[derive(Clone, Debug)]
pub struct ManualClock {
    hands: Arc<Hands>,
}

#[derive(Debug)]
struct Hands {
    wall: AtomicU64,
    steady: AtomicU64,
}

impl ManualClock {
    /// A clock that stands at 2026-01-01T00:00:00Z, a Thursday.
    pub fn start() -> Self {
        Self::at(Timestamp::from_secs(1_767_225_600))
    }

    /// A clock that stands at `moment`.
    pub fn at(moment: Timestamp) -> Self {
        let micros = moment.as_micros();
        let hands = Hands { wall: AtomicU64::new(micros), steady: AtomicU64::new(micros) };
        Self { hands: Arc::new(hands) }
    }

    /// Lets time pass.
    pub fn advance(&self, by: impl Into<Micros>) {
        let by = by.into().get();
        self.hands.wall.fetch_add(by, Relaxed);
        self.hands.steady.fetch_add(by, Relaxed);
    }

    /// Sets both hands, also backwards.
    pub fn set(&self, now: Now) {
        self.hands.wall.store(now.wall.as_micros(), Relaxed);
        self.hands.steady.store(now.steady.as_micros(), Relaxed);
    }

    /// Steps the time of day by this many microseconds, as an operator or a time service would.
    /// Elapsed time does not notice.
    pub fn step_wall(&self, by_micros: i64) {
        let wall = self.hands.wall.load(Relaxed);
        self.hands.wall.store(wall.saturating_add_signed(by_micros), Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Now {
        Now {
            wall: Timestamp::from_micros(self.hands.wall.load(Relaxed)),
            steady: Timestamp::from_micros(self.hands.steady.load(Relaxed)),
        }
    }
}
