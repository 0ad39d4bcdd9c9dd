//! What leases have come to.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tollgate_core::Micros;

use super::{holder::Moved, holdings::Holdings, wallet::Wallet};
use crate::LeaseStats;

/// Refreshes are counted by the first of these that they did not exceed.
const LATENCIES: [Micros; 5] = [
    Micros::from_millis(1),
    Micros::from_millis(5),
    Micros::from_millis(15),
    Micros::from_millis(50),
    Micros::from_millis(250),
];

#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) calls: AtomicU64,
    grants: AtomicU64,
    granted: AtomicU64,
    spent: AtomicU64,
    returned: AtomicU64,
    burnt: AtomicU64,
    collapses: AtomicU64,
    saturated: [AtomicU64; 2],
    pub(super) denials: AtomicU64,
    latencies: [AtomicU64; 6],
    latency_us: AtomicU64,
}

impl Counts {
    pub(super) fn moved(&self, moved: &Moved) {
        self.granted.fetch_add(moved.granted, Relaxed);
        self.grants.fetch_add(u64::from(moved.granted > 0), Relaxed);
        self.spent.fetch_add(moved.spent, Relaxed);
        self.returned.fetch_add(moved.returned, Relaxed);
        self.burnt.fetch_add(moved.burnt, Relaxed);
        self.collapses.fetch_add(moved.collapses, Relaxed);
        for (sum, units) in self.saturated.iter().zip(moved.saturated) {
            sum.fetch_add(units, Relaxed);
        }
    }

    pub(super) fn took(&self, latency: Micros) {
        self.latency_us.fetch_add(latency.get(), Relaxed);
        let place = LATENCIES.iter().position(|most| latency <= *most);
        if let Some(count) = self.latencies.get(place.unwrap_or(LATENCIES.len())) {
            count.fetch_add(1, Relaxed);
        }
    }
}

impl Holdings {
    /// What has happened so far.
    pub(crate) fn stats(&self) -> LeaseStats {
        let counts = &self.counts;
        let held = self.table.places().filter_map(|place| {
            let line = self.table.line(place)?;
            Some(Wallet::of(line, self.table.margin(place)?).tokens())
        });
        let [
            calls,
            grants,
            granted,
            spent,
            returned,
            burnt,
            collapses,
            denials,
        ] = [
            &counts.calls,
            &counts.grants,
            &counts.granted,
            &counts.spent,
            &counts.returned,
            &counts.burnt,
            &counts.collapses,
            &counts.denials,
        ]
        .map(|count| count.load(Relaxed));
        LeaseStats {
            calls,
            grants,
            granted,
            spent,
            returned,
            burnt,
            collapses,
            denials,
            keys: u64::try_from(self.table.len()).unwrap_or(u64::MAX),
            held: held.fold(0, u64::saturating_add),
            saturated: {
                let [spent, burnt] = counts.saturated.each_ref().map(|count| count.load(Relaxed));
                (spent, spent.saturating_add(burnt))
            },
            refresh_us: counts.latency_us.load(Relaxed),
            refresh_latency: counts.latencies.each_ref().map(|count| count.load(Relaxed)),
            ..LeaseStats::default()
        }
    }
}
