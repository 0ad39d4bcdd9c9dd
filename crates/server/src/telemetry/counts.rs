//! Counters that many threads add to at once.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Threads add to copies of their own, so that cores do not fight over one line of cache. A scrape adds
/// the copies up.
const COPIES: usize = 8;

/// One for each that [`copy`] speaks of.
pub(super) type Copies<T> = [T; COPIES];

/// Up to [`Counts::SLOTS`] counters that are added to together.
#[derive(Debug, Default)]
pub(super) struct Counts {
    copies: Copies<Line>,
}

/// One line of the cache.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Line([AtomicU64; Counts::SLOTS]);

impl Counts {
    pub(super) const SLOTS: usize = 8;

    /// Adds to one of the counters; to one that there is not, nothing.
    #[inline]
    pub(super) fn add(&self, slot: usize, by: u64) {
        let line = self.copies.get(copy());
        if let Some(counter) = line.and_then(|line| line.0.get(slot)) {
            counter.fetch_add(by, Relaxed);
        }
    }

    pub(super) fn total(&self, slot: usize) -> u64 {
        let counters = self.copies.iter().filter_map(|line| line.0.get(slot));
        counters.fold(0, |sum, counter| sum.wrapping_add(counter.load(Relaxed)))
    }
}

/// Which copy this thread adds to.
#[inline]
pub(super) fn copy() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static MINE: usize = NEXT.fetch_add(1, Relaxed) % COPIES;
    }
    MINE.with(|mine| *mine)
}
