//! Where `now` comes from. The only file that asks the operating system for the time.

use std::{
    sync::{
        Arc, LazyLock,
        atomic::{AtomicI64, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use crate::{Instants, Micros, Now, Timestamp};

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

    /// Elapsed time that also runs while the machine sleeps: what was borrowed for a while is not found
    /// unspent after a night. Not on the scale of [`Clock::now`].
    fn boot(&self) -> Timestamp {
        self.now().steady
    }

    /// Both at once, for less than twice the price.
    fn instants(&self) -> Instants {
        Instants { now: self.now(), boot: self.boot() }
    }
}

impl<C: Clock + ?Sized> Clock for &C {
    #[inline]
    fn now(&self) -> Now {
        (**self).now()
    }

    #[inline]
    fn boot(&self) -> Timestamp {
        (**self).boot()
    }

    #[inline]
    fn instants(&self) -> Instants {
        (**self).instants()
    }
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    #[inline]
    fn now(&self) -> Now {
        (**self).now()
    }

    #[inline]
    fn boot(&self) -> Timestamp {
        (**self).boot()
    }

    #[inline]
    fn instants(&self) -> Instants {
        (**self).instants()
    }
}

/// The machine's clock: elapsed time from the processor's counter, kept in step with the operating
/// system's monotonic clock, and its time of day, both compared ten times a second. Time in which the
/// machine is suspended does not elapse.
///
/// All copies read one process-wide anchor, so two stores of a process agree on `now`.
///
/// ```
/// use tollgate_core::{Clock, SystemClock};
///
/// let new_year_2026 = 1_767_225_600_000_000;
/// assert!(SystemClock.now().wall.as_micros() > new_year_2026);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[inline]
    fn now(&self) -> Now {
        ANCHOR.now()
    }

    #[inline]
    fn boot(&self) -> Timestamp {
        ANCHOR.instants().boot
    }

    #[inline]
    fn instants(&self) -> Instants {
        ANCHOR.instants()
    }
}

static ANCHOR: LazyLock<Anchor> = LazyLock::new(Anchor::new);

/// How often the counter is compared with the operating system's clocks: a step of the time of day is
/// followed within this.
const SYNC_EVERY: Micros = Micros::from_millis(100);
/// How far elapsed time is moved at once towards the system's: far less than passes between two looks.
const SLEW_MAX: i64 = 500;
/// A difference this large is no drift: the machine was suspended, or moved to another host.
const DRIFT_MAX: i64 = 1_000_000;

/// The process-wide link between the processor's counter and the system's clocks.
struct Anchor {
    counter: quanta::Clock,
    counter_start: u64,
    system_start: Instant,
    start: Timestamp,
    /// What to add to the counter's time to get elapsed time.
    steady_ahead_micros: AtomicI64,
    /// What to add to elapsed time to get the time of day.
    wall_ahead_micros: AtomicI64,
    /// What to add to the counter's time to get time since boot.
    boot_ahead_micros: AtomicI64,
    synced_at_micros: AtomicU64,
}

impl Anchor {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads elapsed time")]
    fn new() -> Self {
        let counter = quanta::Clock::new();
        let anchor = Self {
            counter_start: counter.raw(),
            system_start: Instant::now(),
            start: wall_clock(),
            steady_ahead_micros: AtomicI64::new(0),
            wall_ahead_micros: AtomicI64::new(0),
            boot_ahead_micros: AtomicI64::new(i64::MIN),
            synced_at_micros: AtomicU64::new(0),
            counter,
        };
        anchor.sync(anchor.counted());
        anchor
    }

    #[inline]
    fn now(&self) -> Now {
        self.instants().now
    }

    #[inline]
    fn instants(&self) -> Instants {
        let counted = self.counted_in_step();
        let boot = counted.saturating_add_signed(self.boot_ahead_micros.load(Relaxed));
        let steady = counted.saturating_add_signed(self.steady_ahead_micros.load(Relaxed));
        let wall = steady.saturating_add_signed(self.wall_ahead_micros.load(Relaxed));
        Instants {
            now: Now { wall: Timestamp::from_micros(wall), steady: Timestamp::from_micros(steady) },
            boot: Timestamp::from_micros(boot),
        }
    }

    /// The counter, compared with the system's clocks when that is due. A machine that slept has a counter that went
    /// on or began anew: either makes it due at once.
    #[inline]
    fn counted_in_step(&self) -> u64 {
        let counted = self.counted();
        // Also true if the counter was set back.
        if counted.wrapping_sub(self.synced_at_micros.load(Relaxed)) >= SYNC_EVERY.get() {
            self.sync(counted);
        }
        counted
    }

    /// Microseconds since the epoch by the counter alone.
    #[inline]
    fn counted(&self) -> u64 {
        let nanos = self.counter.delta_as_nanos(self.counter_start, self.counter.raw());
        self.start.as_micros().saturating_add(nanos / 1_000)
    }

    #[cold]
    fn sync(&self, counted: u64) {
        let elapsed = Micros::from(self.system_start.elapsed());
        let truth = self.start.saturating_add(elapsed).as_micros();
        let ahead = self.steady_ahead_micros.load(Relaxed);
        let wanted = truth.wrapping_sub(counted).cast_signed();
        let ahead = slewed(ahead, wanted);
        let steady = counted.saturating_add_signed(ahead);
        let wall_ahead = wall_clock().as_micros().wrapping_sub(steady).cast_signed();
        self.steady_ahead_micros.store(ahead, Relaxed);
        self.wall_ahead_micros.store(wall_ahead, Relaxed);
        let wanted = since_boot(self.system_start).as_micros().wrapping_sub(counted).cast_signed();
        // Forward at once, so that nothing lasts longer than it was lent for; back gently.
        let ahead = self.boot_ahead_micros.load(Relaxed);
        let ahead = wanted.max(ahead.saturating_sub(SLEW_MAX));
        self.boot_ahead_micros.store(ahead, Relaxed);
        self.synced_at_micros.store(counted, Relaxed);
    }
}

/// Moves a correction towards the one that is wanted: gently if it drifted, at once if it broke.
fn slewed(ahead: i64, wanted: i64) -> i64 {
    let error = wanted.saturating_sub(ahead);
    if error.saturating_abs() > DRIFT_MAX {
        return wanted;
    }
    ahead.saturating_add(error.clamp(SLEW_MAX.saturating_neg(), SLEW_MAX))
}

/// Time since boot, sleep included, where the system can tell; elsewhere without.
fn since_boot(system_start: Instant) -> Timestamp {
    #[cfg(target_os = "linux")]
    {
        let _ = system_start;
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        let (secs, nanos) = (time.tv_sec.cast_unsigned(), time.tv_nsec.cast_unsigned());
        Timestamp::from_micros(secs.saturating_mul(1_000_000).saturating_add(nanos / 1_000))
    }
    #[cfg(not(target_os = "linux"))]
    {
        Timestamp::from_micros(Micros::from(system_start.elapsed()).get())
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the time of day")]
fn wall_clock() -> Timestamp {
    // A time of day before 1970 reads as 1970: windows still turn, since elapsed time is added.
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    Timestamp::from_micros(Micros::from(since_epoch).get())
}

#[cfg(test)]
mod tests {
    use super::*;

    // Proves: D7
    #[test]
    fn drift_is_followed_gently_and_breaks_at_once() {
        assert_eq!(slewed(0, 200), 200);
        assert_eq!(slewed(0, 900_000), SLEW_MAX);
        assert_eq!(slewed(700, -900_000), 700 - SLEW_MAX);
        assert_eq!(slewed(0, 3_600_000_000), 3_600_000_000);
        assert_eq!(slewed(i64::MIN, i64::MAX), i64::MAX);
    }

    #[test]
    fn the_system_clock_follows_the_system() {
        let (before, system) = (SystemClock.now(), wall_clock());
        let apart = before.wall.since(system).get() + system.since(before.wall).get();
        assert!(apart < 60_000_000, "a minute apart from the time of day: {apart} µs");
        let later: Vec<Now> = (0..1_000).map(|_| SystemClock.now()).collect();
        let is_ordered = later.windows(2).all(|pair| pair[0].steady <= pair[1].steady);
        assert!(is_ordered || later[999].steady.since(before.steady) > SYNC_EVERY);
    }
}
