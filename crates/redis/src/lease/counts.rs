//! What leases have come to.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tollgate_core::Micros;

use super::{
    holder::{Holder, Moved},
    holdings::Holdings,
    wallet::Wallet,
};
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
    pub(super) fn moved(&self, holder: &Holder, moved: &Moved) {
        self.granted.fetch_add(moved.granted, Relaxed);
        self.grants.fetch_add(u64::from(moved.granted > 0), Relaxed);
        self.spent.fetch_add(moved.spent, Relaxed);
        self.returned.fetch_add(moved.returned, Relaxed);
        self.burnt.fetch_add(moved.burnt, Relaxed);
        self.collapses.fetch_add(moved.collapses, Relaxed);
        if holder.is_saturated {
            let units = [moved.spent, moved.burnt];
            for (sum, units) in self.saturated.iter().zip(units) {
                sum.fetch_add(units, Relaxed);
            }
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
        let count = |count: &AtomicU64| count.load(Relaxed);
        LeaseStats {
            calls: count(&counts.calls),
            grants: count(&counts.grants),
            granted: count(&counts.granted),
            spent: count(&counts.spent),
            returned: count(&counts.returned),
            burnt: count(&counts.burnt),
            collapses: count(&counts.collapses),
            denials: count(&counts.denials),
            keys: u64::try_from(self.table.len()).unwrap_or(u64::MAX),
            held: held.fold(0, u64::saturating_add),
            saturated: {
                let [spent, burnt] = counts.saturated.each_ref().map(count);
                (spent, spent.saturating_add(burnt))
            },
            refresh_us: count(&counts.latency_us),
            refresh_latency: counts.latencies.each_ref().map(count),
            ..LeaseStats::default()
        }
    }
}
