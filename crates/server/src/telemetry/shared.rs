//! The counters that a fleet shares, in metrics.

use tollgate_redis::{Health, Standing, Stats};

use super::{
    leases,
    reading::{Kind, Reading, Value},
    recorder::Recorder,
};

/// What shared counters say of themselves.
#[derive(Clone, Debug)]
pub(crate) struct FleetReading {
    pub(crate) stats: Stats,
    pub(crate) health: Health,
    /// Decisions that came to nothing, which should not be.
    pub(crate) faults: u64,
}

/// The most shards that have a series of their own.
const SHARDS_MAX: usize = 128;
const POLICIES: [&str; 3] = ["open", "closed", "local"];

impl Recorder {
    /// Of a node that shares counters through Redis.
    pub(super) fn shared(&self, reading: &mut Reading) {
        let read = self.fleet_reading();
        let read = read.as_ref();
        policies(read, reading);
        let count = |reading: &mut Reading, name, help, of: fn(&Stats) -> u64| {
            let family = reading.add(Kind::Counter, name, help);
            if let Some(FleetReading { stats, .. }) = read {
                family.with([], Value::Whole(of(stats)));
            }
        };
        let help = "Scripts that Redis has answered";
        count(reading, "tollgate_redis_calls", help, |stats| stats.calls);
        let help = "Decisions that those scripts took; several travel in one";
        count(reading, "tollgate_redis_decisions", help, |stats| stats.decisions);
        let help = "Decisions that did not wait for Redis any longer";
        count(reading, "tollgate_redis_late", help, |stats| stats.late);
        let help = "Cost that was admitted while Redis was away, and charged there afterwards";
        count(reading, "tollgate_redis_settled_units", help, |stats| stats.settled);
        let help = "Cost that Redis had charged for requests that were not admitted, and took back";
        count(reading, "tollgate_redis_given_back_units", help, |stats| stats.given_back);
        let help = "Counters whose spending Redis was never told of, because too many awaited it";
        count(reading, "tollgate_redis_unsettled", help, |stats| stats.unsettled);
        let help = "Changes in Redis that met another's and were made again";
        count(reading, "tollgate_redis_conflicts", help, |stats| stats.conflicts);
        failures(read, reading);
        gauges(read, reading);
        leases::read(read.map(|read| &read.stats.leases), reading);
    }
}

fn policies(read: Option<&FleetReading>, reading: &mut Reading) {
    let help = "Requests that a failure policy has answered because Redis was away or late";
    let family = reading.add(Kind::Counter, "tollgate_fallback", help);
    if let Some(FleetReading { stats, .. }) = read {
        for (policy, count) in POLICIES.into_iter().zip(stats.by_policy) {
            family.with([("policy", policy.to_owned())], Value::Whole(count));
        }
    }
}

fn failures(read: Option<&FleetReading>, reading: &mut Reading) {
    let help = "Calls to Redis that failed, by cause";
    let family = reading.add(Kind::Counter, "tollgate_redis_failures", help);
    if let Some(FleetReading { stats, .. }) = read {
        for (cause, count) in &stats.failures {
            family.with([("cause", (*cause).to_owned())], Value::Whole(*count));
        }
    }
    let help = "Decisions that this node took by itself because of a defect of Tollgate; always 0";
    let family = reading.add(Kind::Counter, "tollgate_redis_faults", help);
    if let Some(FleetReading { faults, .. }) = read {
        family.with([], Value::Whole(*faults));
    }
}

fn gauges(read: Option<&FleetReading>, reading: &mut Reading) {
    let help = "Counters whose spending Redis has yet to be told of";
    let family = reading.add(Kind::Gauge, "tollgate_redis_owing_counters", help);
    if let Some(FleetReading { stats, .. }) = read {
        family.with([], Value::Whole(stats.owing));
    }
    let help =
        "1 if a shard is asked for all of its keys; 0 if failure policies answer for some or all";
    let family = reading.add(Kind::Gauge, "tollgate_redis_shard_up", help);
    if let Some(FleetReading { health, .. }) = read {
        for shard in health.shards.iter().take(SHARDS_MAX) {
            let is_up = u64::from(shard.standing == Standing::Up);
            family.with([("shard", shard.name.clone())], Value::Whole(is_up));
        }
    }
    let help = "Nodes of the fleet that are alive, this one included, as last heard through Redis";
    let family = reading.add(Kind::Gauge, "tollgate_live_nodes", help);
    if let Some(FleetReading { health, .. }) = read {
        family.with([], Value::Whole(health.live_nodes.into()));
    }
}
