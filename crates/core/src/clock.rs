//! Where `now` comes from. The only file that asks the operating system for the time.

use std::{
    sync::{
        Arc, LazyLock,
        atomic::{AtomicI64, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{Micros, Now, Timestamp};

/// A source of `now`. Bring your own by implementing one method.
///
/// ```
/// use tollgate_core::{Clock, Now, Timestamp};
///
/// struct Noon;
/// impl Clock for Noon {
///     fn now(&self) -> Now {
///         Now::at(Timestamp::from_secs(43_200))
///     }
/// }
/// assert_eq!(Noon.now().wall.as_micros(), 43_200_000_000);
/// ```
pub trait Clock: Send + Sync {
    /// The present moment. `steady` must not run backwards by more than the skew between threads.
    fn now(&self) -> Now;
}

impl<C: Clock + ?Sized> Clock for &C {
    #[inline]
    fn now(&self) -> Now {
        (**self).now()
    }
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    #[inline]
    fn now(&self) -> Now {
        (**self).now()
    }
}

/// The machine's clock: elapsed time from the processor's counter, the time of day from the
/// operating system, compared ten times a second.
///
/// All copies read one process-wide anchor, so two stores of a process agree on `now`.
///
/// ```
/// use tollgate_core::{Clock, SystemClock};
///
/// let earlier = SystemClock.now();
/// assert!(SystemClock.now().steady >= earlier.steady);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[inline]
    fn now(&self) -> Now {
        ANCHOR.now()
    }
}

static ANCHOR: LazyLock<Anchor> = LazyLock::new(Anchor::new);

/// How often the time of day is read again: a step of the wall clock is followed within this.
const WALL_SYNC: Micros = Micros::from_millis(100);

/// The process-wide link between the counter and the time of day.
struct Anchor {
    counter: quanta::Clock,
    counter_start: u64,
    steady_start: Timestamp,
    wall_ahead_micros: AtomicI64,
    next_sync_micros: AtomicU64,
}

impl Anchor {
    fn new() -> Self {
        let counter = quanta::Clock::new();
        Self {
            counter_start: counter.raw(),
            steady_start: wall_clock(),
            wall_ahead_micros: AtomicI64::new(0),
            next_sync_micros: AtomicU64::new(0),
            counter,
        }
    }

    #[inline]
    fn now(&self) -> Now {
        let nanos = self
            .counter
            .delta_as_nanos(self.counter_start, self.counter.raw());
        let steady = self.steady_start.saturating_add(Micros::new(nanos / 1_000));
        if steady.as_micros() >= self.next_sync_micros.load(Relaxed) {
            self.sync(steady);
        }
        let ahead = self.wall_ahead_micros.load(Relaxed);
        let wall = Timestamp::from_micros(steady.as_micros().saturating_add_signed(ahead));
        Now { wall, steady }
    }

    #[cold]
    fn sync(&self, steady: Timestamp) {
        let ahead = wall_clock()
            .as_micros()
            .wrapping_sub(steady.as_micros())
            .cast_signed();
        self.wall_ahead_micros.store(ahead, Relaxed);
        self.next_sync_micros
            .store(steady.saturating_add(WALL_SYNC).as_micros(), Relaxed);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the time of day"
)]
fn wall_clock() -> Timestamp {
    // A time of day before 1970 reads as 1970: windows still turn, since elapsed time is added.
    let since_epoch = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO);
    Timestamp::from_micros(Micros::from(since_epoch).get())
}

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
        let hands = Hands {
            wall: AtomicU64::new(micros),
            steady: AtomicU64::new(micros),
        };
        Self {
            hands: Arc::new(hands),
        }
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
        self.hands
            .wall
            .store(wall.saturating_add_signed(by_micros), Relaxed);
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
