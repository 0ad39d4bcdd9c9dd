//! How long things take.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tollgate_core::Micros;

use super::counts::{Copies, copy};

/// The upper ends of the buckets in µs; one more is without end.
const ENDS_US: [u64; 16] = [
    10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000,
    500_000, 1_000_000,
];

/// Durations, counted by buckets from 10 µs to 1 s.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    copies: Copies<Part>,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Part {
    buckets: [AtomicU64; ENDS_US.len() + 1],
    sum_us: AtomicU64,
}

/// A histogram at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Durations {
    /// The upper end of each bucket in seconds, and how many are in it alone. The last has no end.
    pub(super) buckets: Vec<(f64, u64)>,
    /// All of them together.
    pub(super) sum_s: f64,
}

impl Histogram {
    /// So many took so long, each.
    #[inline]
    pub(super) fn add(&self, count: u64, took: Micros) {
        let bucket = ENDS_US.partition_point(|end| *end < took.get());
        let Some(part) = self.copies.get(copy()) else {
            return;
        };
        if let Some(bucket) = part.buckets.get(bucket) {
            bucket.fetch_add(count, Relaxed);
        }
        part.sum_us.fetch_add(took.get().saturating_mul(count), Relaxed);
    }

    pub(super) fn read(&self) -> Durations {
        let ends = ENDS_US.iter().map(|end| seconds(*end)).chain([f64::INFINITY]);
        let buckets = ends.enumerate().map(|(place, end)| {
            let parts = self.copies.iter().filter_map(|part| part.buckets.get(place));
            (end, parts.map(|bucket| bucket.load(Relaxed)).sum())
        });
        let sums = self.copies.iter().map(|part| part.sum_us.load(Relaxed));
        Durations { buckets: buckets.collect(), sum_s: seconds(sums.sum()) }
    }
}

impl Durations {
    pub(super) fn count(&self) -> u64 {
        self.buckets.iter().map(|(_, count)| count).sum()
    }
}

/// Below 2^53 µs, 285 years together, no digit is lost.
#[expect(clippy::cast_precision_loss, reason = "shown, never decided by")]
pub(super) fn seconds(us: u64) -> f64 {
    us as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_in_the_first_bucket_that_holds_it() {
        let histogram = Histogram::default();
        for (count, us) in
            [(1, 0), (2, 10), (3, 11), (4, 1_000_000), (5, 1_000_001), (6, u64::MAX / 8)]
        {
            histogram.add(count, Micros::new(us));
        }
        let read = histogram.read();
        let bucket = |place: usize| read.buckets[place].1;
        assert_eq!((bucket(0), bucket(1), bucket(15), bucket(16)), (3, 3, 4, 11));
        assert_eq!(read.count(), 21);
    }

    #[test]
    fn no_addition_from_any_thread_is_lost() {
        let histogram = Histogram::default();
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| (0..1_000).for_each(|_| histogram.add(3, Micros::new(40))));
            }
        });
        let read = histogram.read();
        assert_eq!(read.count(), 48_000);
        assert!((read.sum_s - 1.92).abs() < 1e-9, "{}", read.sum_s);
    }
}
