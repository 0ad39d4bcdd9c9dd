//! The table of cells.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tollgate_core::{Clock, Fingerprinter, Now};

use super::{
    CellStats, Throttle, ThrottleError, Throttled,
    shard::{Entry, Shard},
};

/// The most shards, a power of two. Each has a lock of its own.
const SHARDS_MAX: usize = 64;
/// Fewer places are not split: small parts fill unevenly.
const SHARD_PLACES_MIN: usize = 4_096;

/// Keys of `CL.THROTTLE` in a table of fixed size. They are a space of their own: no rule ever sees them.
///
/// At its bound the table gives a new key the place of one that owes nothing, else of the one within
/// reach that owes the least, whose debt stays in a sketch: an exhausted key stays exhausted.
/// [`CellStats::evicted`] counts the latter.
///
/// ```
/// use tollgate_core::ManualClock;
/// use tollgate_memory::{CellStore, Throttle};
///
/// let cells = CellStore::with_capacity(1_000, ManualClock::start());
/// let ask = Throttle { max_burst: 15, count: 30, period_s: 60, quantity: 1 };
/// let answer = cells.throttle(b"user123", ask)?;
/// assert!(!answer.is_limited);
/// assert_eq!((answer.limit, answer.remaining, answer.reset_after_s), (16, 15, 2));
/// # Ok::<(), tollgate_memory::ThrottleError>(())
/// ```
#[derive(Debug)]
pub struct CellStore<C> {
    pub(super) clock: C,
    pub(super) hash: Fingerprinter,
    shards: Box<[Alone]>,
}

/// A shard by itself in its cache lines: its neighbour's lock is another's business.
#[derive(Debug)]
#[repr(align(64))]
struct Alone(Mutex<Shard>);

impl<C: Clock> CellStore<C> {
    /// Keys there is room for unless told otherwise: 23 MB when all of them are in use.
    pub const CAPACITY_DEFAULT: usize = 1_000_000;

    /// The most keys there can be room for: 23 GB.
    pub const CAPACITY_MAX: usize = 1 << 30;

    /// Bytes that the sketches may take unless told otherwise.
    pub const OVERFLOW_BYTES_DEFAULT: usize = 16 << 20;

    /// With room for [`CellStore::CAPACITY_DEFAULT`] keys.
    pub fn new(clock: C) -> Self {
        Self::with_capacity(Self::CAPACITY_DEFAULT, clock)
    }

    /// With room for this many keys, at most [`CellStore::CAPACITY_MAX`]. It takes 23 bytes for each, as
    /// they come.
    pub fn with_capacity(keys: usize, clock: C) -> Self {
        Self::with_bounds(keys, Self::OVERFLOW_BYTES_DEFAULT, clock)
    }

    /// As [`CellStore::with_capacity`], with so many bytes for the sketches of what keys owe that the table
    /// has no room for; at least a kilobyte for each shard, of which there are at most 64.
    pub fn with_bounds(keys: usize, overflow_bytes: usize, clock: C) -> Self {
        Self::with_hash(keys, overflow_bytes, Fingerprinter::random(), clock)
    }

    /// The same empty table with known secrets, so that tests see the same collisions with every run.
    #[doc(hidden)]
    #[must_use]
    pub fn seeded(mut self, secrets: [u64; 4]) -> Self {
        self.hash = Fingerprinter::with_secrets(secrets);
        self
    }

    pub(super) fn with_hash(
        keys: usize,
        overflow_bytes: usize,
        hash: Fingerprinter,
        clock: C,
    ) -> Self {
        let keys = keys.clamp(1, Self::CAPACITY_MAX);
        // Two fifths more, so that nearly every key finds a place near its home.
        let places = keys + keys * 2 / 5;
        let shard_bits = (places / SHARD_PLACES_MIN).clamp(1, SHARDS_MAX).ilog2();
        let shards = 1 << shard_bits;
        let each = places.div_ceil(shards);
        let shard = || Shard::new(each, overflow_bytes / shards, shard_bits);
        Self { clock, hash, shards: (0..shards).map(|_| Alone(Mutex::new(shard()))).collect() }
    }

    /// Charges the key, or says why not.
    ///
    /// # Errors
    ///
    /// [`ThrottleError`] for numbers that redis-cell refuses.
    #[inline]
    pub fn throttle(&self, key: &[u8], ask: Throttle) -> Result<Throttled, ThrottleError> {
        let interval = ask.interval()?;
        let fingerprint = self.hash.bytes(key);
        let mut shard = self.shard(fingerprint);
        // Read under the lock, so that whoever comes later does not come earlier.
        let now = nanos(self.clock.now());
        if let Some(word) = shard.find(fingerprint) {
            let step = ask.step(interval, word.cast_signed(), now);
            if let Some(next) = step.arrival {
                *word = next.max(0).cast_unsigned();
            }
            return step.answer;
        }
        let owes_until = shard.sketched(fingerprint, now).unwrap_or(now);
        let step = ask.step(interval, owes_until, now);
        if let Some(arrival) = step.arrival.filter(|arrival| *arrival > now) {
            let entry = Entry { fingerprint, arrival };
            shard.insert(entry, now);
        }
        step.answer
    }

    /// The table's size, and what its bound has cost.
    pub fn stats(&self) -> CellStats {
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let now = nanos(self.clock.now());
        let mut stats = CellStats::default();
        for shard in self.shards() {
            stats.overflow_bytes += count(shard.overflow_bytes());
            stats.overflow_bytes_max += count(shard.overflow_bytes_max());
            let fill = shard.fill(now);
            stats.overflow_keys += fill.live;
            stats.odds_millionths += fill.odds;
            stats.keys += shard.keys();
            stats.capacity += count(shard.places());
            stats.bytes_max += count(shard.bytes());
            stats.evicted += shard.evicted();
        }
        stats.odds_millionths /= count(self.shards.len()).max(1);
        stats
    }

    /// The shard of this number, locked.
    pub(super) fn numbered(&self, shard: usize) -> Option<MutexGuard<'_, Shard>> {
        self.shards.get(shard).map(|shard| lock(&shard.0))
    }

    /// Every shard in turn, locked.
    pub(super) fn shards(&self) -> impl Iterator<Item = MutexGuard<'_, Shard>> {
        self.shards.iter().map(|shard| lock(&shard.0))
    }

    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "the product's upper half is below the number of shards"
    )]
    pub(super) fn shard(&self, fingerprint: u64) -> MutexGuard<'_, Shard> {
        let upper = fingerprint >> 32;
        let spot = (upper * self.shards.len() as u64) >> 32;
        lock(&self.shards[spot as usize].0)
    }
}

/// Whoever panicked while holding the lock left every place whole.
fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Elapsed time in nanoseconds, as far as 64 bits reach: into the year 2262.
#[inline]
pub(super) fn nanos(now: Now) -> i64 {
    let micros = i64::try_from(now.steady.as_micros()).unwrap_or(i64::MAX);
    micros.saturating_mul(1_000)
}
