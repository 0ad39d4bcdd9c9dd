//! Leases on shared counters, in metrics.

use tollgate_redis::LeaseStats;

use super::{
    histogram::{Durations, seconds},
    reading::{Kind, Reading, Value},
};

/// The upper ends of the buckets of [`LeaseStats::refresh_latency`] in µs; the last has none.
const REFRESH_ENDS_US: [u64; 5] = [1_000, 5_000, 15_000, 50_000, 250_000];

/// A count of leases by its name, what it is, and where it is read.
type Count = (&'static str, &'static str, fn(&LeaseStats) -> u64);

/// What only rises.
const COUNTERS: &[Count] = &[
    (
        "tollgate_lease_spent_units",
        "Cost of decisions that leases in memory have answered, without asking Redis",
        |leases| leases.spent,
    ),
    (
        "tollgate_lease_denials",
        "Denials answered from memory, because Redis had said that nothing is left",
        |leases| leases.denials,
    ),
    (
        "tollgate_lease_calls",
        "Scripts that asked for slices, gave some back, or told what had been granted",
        |leases| leases.calls,
    ),
    ("tollgate_lease_grants", "Slices that Redis has granted", |leases| leases.grants),
    ("tollgate_lease_granted_units", "Cost that those slices are good for", |leases| {
        leases.granted
    }),
    ("tollgate_lease_returned_units", "Cost that was given back unspent", |leases| leases.returned),
    (
        "tollgate_lease_burnt_units",
        "Cost that ran out unspent in this node's hands, or that Redis knew nothing of any more",
        |leases| leases.burnt,
    ),
    (
        "tollgate_lease_collapses",
        "Times that little was left of a window, so that its rest was counted exactly",
        |leases| leases.collapses,
    ),
    (
        "tollgate_lease_saturated_spent_units",
        "Cost that keys which ran into their limits have spent",
        |leases| leases.saturated.0,
    ),
    (
        "tollgate_lease_saturated_allowed_units",
        "Cost that those limits allowed for in that time; spent divided by this is the utilisation",
        |leases| leases.saturated.1,
    ),
    (
        "tollgate_lease_forgotten_keys",
        "Keys that would not be told to Redis after a failover, because too many were in use",
        |leases| leases.forgotten,
    ),
    (
        "tollgate_lease_asserted_keys",
        "Keys of which Redis was told, after failovers, what had been granted",
        |leases| leases.asserted,
    ),
    (
        "tollgate_lease_reclaimed_units",
        "Cost that Redis had lost in failovers, and was charged again",
        |leases| leases.reclaimed,
    ),
    (
        "tollgate_overshoot",
        "Times that a sampled key was seen to admit more than its limit allows; always 0",
        |leases| leases.overshoot,
    ),
];

/// What goes both ways.
const GAUGES: &[Count] = &[
    ("tollgate_lease_keys", "Keys that are leased now", |leases| leases.keys),
    ("tollgate_lease_held_units", "Cost that this node holds unspent now", |leases| leases.held),
    (
        "tollgate_lease_touched_keys",
        "Keys that Redis would be told of after a failover",
        |leases| leases.touched,
    ),
    (
        "tollgate_verified_keys",
        "Sampled keys whose admissions are compared with their limits, over all nodes",
        |leases| leases.verified,
    ),
];

/// All of it; without Redis only the names.
pub(super) fn read(leases: Option<&LeaseStats>, reading: &mut Reading) {
    for (kind, counts) in [(Kind::Counter, COUNTERS), (Kind::Gauge, GAUGES)] {
        for (name, help, of) in counts {
            let family = reading.add(kind, name, help);
            if let Some(leases) = leases {
                family.with([], Value::Whole(of(leases)));
            }
        }
    }
    let help = "From asking Redis for a slice to its answer";
    let family = reading.add(Kind::Histogram, "tollgate_lease_refresh_seconds", help);
    if let Some(leases) = leases {
        family.with([], Value::Durations(refreshes(leases)));
    }
}

fn refreshes(leases: &LeaseStats) -> Durations {
    let ends = REFRESH_ENDS_US.iter().map(|end| seconds(*end));
    let ends = ends.chain([f64::INFINITY]);
    Durations {
        buckets: ends.zip(leases.refresh_latency).collect(),
        sum_s: seconds(leases.refresh_us),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::openmetrics, *};

    #[test]
    fn every_count_has_its_series() {
        let mut leases = LeaseStats::default();
        leases.spent = 3;
        leases.saturated = (99, 100);
        leases.refresh_latency = [4, 3, 2, 1, 0, 5];
        leases.refresh_us = 2_500_000;
        leases.held = 17;
        let mut reading = Reading::default();
        read(Some(&leases), &mut reading);
        let text = openmetrics::text_of(reading);
        for line in [
            "tollgate_lease_spent_units_total 3",
            "tollgate_lease_saturated_spent_units_total 99",
            "tollgate_lease_saturated_allowed_units_total 100",
            "tollgate_overshoot_total 0",
            "tollgate_lease_held_units 17",
            "tollgate_lease_refresh_seconds_bucket{le=\"0.005\"} 7",
            "tollgate_lease_refresh_seconds_bucket{le=\"0.25\"} 10",
            "tollgate_lease_refresh_seconds_bucket{le=\"+Inf\"} 15",
            "tollgate_lease_refresh_seconds_sum 2.5",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}: {text}");
        }
    }
}
