//! Durations and moments in microseconds, the tick in which every decision is made.

use std::{fmt, time::Duration};

/// A length of time in whole microseconds.
///
/// ```
/// use std::time::Duration;
/// use tollgate_core::Micros;
///
/// assert_eq!(Micros::from_millis(2).get(), 2_000);
/// assert_eq!(Duration::from(Micros::from_secs(3)), Duration::from_secs(3));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micros(u64);

impl Micros {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest length of time that can be written.
    pub const MAX: Self = Self(u64::MAX);

    /// This many microseconds.
    pub const fn new(micros: u64) -> Self {
        Self(micros)
    }

    /// This many milliseconds, or [`Micros::MAX`] where that is too long to write.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// This many seconds, or [`Micros::MAX`] where that is too long to write.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1_000_000))
    }

    /// The number of microseconds.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Whether this is no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Both lengths together, at most [`Micros::MAX`].
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What is left of this length after `other`, at least zero.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Whole milliseconds, rounded up: a wait must never be too short.
    pub const fn as_millis_ceil(self) -> u64 {
        self.0.div_ceil(1_000)
    }

    /// Whole seconds, rounded up: a wait must never be too short.
    pub const fn as_secs_ceil(self) -> u64 {
        self.0.div_ceil(1_000_000)
    }
}

impl From<Micros> for Duration {
    fn from(micros: Micros) -> Self {
        Self::from_micros(micros.0)
    }
}

/// Rounds down to the tick; longer than [`Micros::MAX`] becomes that.
impl From<Duration> for Micros {
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&Duration::from(*self), f)
    }
}

/// A moment, in microseconds since the Unix epoch.
///
/// ```
/// use tollgate_core::{Micros, Timestamp};
///
/// let noon = Timestamp::from_secs(1_767_268_800);
/// assert_eq!(noon.saturating_add(Micros::from_secs(5)).since(noon), Micros::from_secs(5));
/// assert_eq!(Timestamp::EPOCH.since(noon), Micros::ZERO);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The first moment: 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);
    /// The last moment, some 2,283 years after the first. The bound leaves room for a product with
    /// any 64-bit amount in 128 bits, so that no algorithm can overflow.
    pub const MAX: Self = Self((1 << 56) - 1);

    /// The moment this many microseconds after the epoch, at most [`Timestamp::MAX`].
    pub const fn from_micros(micros: u64) -> Self {
        if micros > Self::MAX.0 { Self::MAX } else { Self(micros) }
    }

    /// The moment this many seconds after the epoch, at most [`Timestamp::MAX`].
    pub const fn from_secs(secs: u64) -> Self {
        Self::from_micros(secs.saturating_mul(1_000_000))
    }

    /// Microseconds since the epoch.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Whole seconds since the epoch, rounded up.
    pub const fn as_secs_ceil(self) -> u64 {
        self.0.div_ceil(1_000_000)
    }

    /// The moment `later` after this one, at most [`Timestamp::MAX`].
    #[must_use]
    pub const fn saturating_add(self, later: Micros) -> Self {
        Self::from_micros(self.0.saturating_add(later.0))
    }

    /// The moment `earlier` before this one, at least the epoch.
    #[must_use]
    pub const fn saturating_sub(self, earlier: Micros) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }

    /// Time since `earlier`; zero where that is not earlier.
    pub const fn since(self, earlier: Self) -> Micros {
        Micros(self.0.saturating_sub(earlier.0))
    }
}

/// One reading of a clock: what the calendar says, and what a stopwatch says.
///
/// Aligned windows follow `wall`, whatever the operator or the time service does to it. Elapsed time
/// (buckets, the sliding log) follows `steady`, which never steps.
///
/// ```
/// use tollgate_core::{Now, Timestamp};
///
/// let now = Now::at(Timestamp::from_secs(60));
/// assert_eq!(now.wall, now.steady);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Now {
    /// The time of day, for window edges.
    pub wall: Timestamp,
    /// Time that only elapses, near the wall clock when the process started.
    pub steady: Timestamp,
}

impl Now {
    /// A reading on which both clocks agree.
    pub const fn at(moment: Timestamp) -> Self {
        Self { wall: moment, steady: moment }
    }
}

/// One moment by [`Clock::now`](crate::Clock::now) and by [`Clock::boot`](crate::Clock::boot).
///
/// ```
/// use tollgate_core::{Clock, ManualClock};
///
/// let moment = ManualClock::start().instants();
/// assert_eq!(moment.boot, moment.now.steady);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instants {
    /// For laws.
    pub now: Now,
    /// For what was borrowed.
    pub boot: Timestamp,
}
