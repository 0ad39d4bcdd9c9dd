//! The bars, and whether this run met them.

use super::{Findings, number::short};
use crate::{
    bytes::ACTIVE_KEYS,
    checks::{Cell, Threads},
    depth::Depth,
    subjects::Kind,
    workload::Skew,
};

#[derive(Debug)]
pub(super) struct Bar {
    pub(super) what: String,
    pub(super) asked: String,
    pub(super) measured: f64,
    pub(super) unit: &'static str,
    pub(super) is_met: bool,
}

/// Only the bars that this run can tell about; a quick one cannot tell any.
pub(super) fn bars(findings: &Findings) -> Vec<Bar> {
    if findings.depth == Depth::Quick {
        return Vec::new();
    }
    let speed = SPEED.iter().filter_map(|bar| bar.hold(findings));
    let memory = MEMORY.iter().filter_map(|bar| bar.hold(findings));
    let rules = findings.rules.as_ref().map(super::rules::bars);
    let bars = speed.chain(memory).chain(whole_process(findings));
    let servers = findings.servers.as_ref().map(super::servers::bars);
    let bars = bars.chain(rules.into_iter().flatten());
    let redis = findings.redis.as_ref().map(super::redis::bars);
    let bars = bars.chain(servers.into_iter().flatten());
    let leases = findings.leases.as_ref().map(super::leases::bars);
    let identity = findings.identity.as_ref().map(super::identity::bars);
    let bars = bars.chain(redis.into_iter().flatten());
    let bars = bars.chain(leases.into_iter().flatten());
    let client = findings.client.as_ref().map(super::client::bars);
    let bars = bars.chain(identity.into_iter().flatten());
    bars.chain(client.into_iter().flatten()).collect()
}

/// At least so many times governor's speed in the same run, uniform keys.
struct Speed {
    kind: Kind,
    keys: usize,
    threads: Threads,
    times_min: f64,
}

const fn one(kind: Kind, keys: usize, times_min: f64) -> Speed {
    Speed {
        kind,
        keys,
        threads: Threads::One,
        times_min,
    }
}

const SPEED: [Speed; 11] = [
    one(Kind::IsAllowed, 1_000, 1.5),
    one(Kind::IsAllowed, 100_000, 6.0),
    one(Kind::IsAllowed, 1_000_000, 4.0),
    one(Kind::IsAllowed, 10_000_000, 5.0),
    one(Kind::ChargeBatch, 100_000, 10.0),
    one(Kind::ChargeBatch, 1_000_000, 8.0),
    one(Kind::ChargeBatch, 10_000_000, 10.0),
    one(Kind::CheckBatch, 100_000, 10.0),
    one(Kind::CheckBatch, 1_000_000, 8.0),
    one(Kind::CheckBatch, 10_000_000, 10.0),
    Speed {
        kind: Kind::IsAllowed,
        keys: 1,
        threads: Threads::Two,
        times_min: 2.0,
    },
];

impl Speed {
    fn hold(&self, findings: &Findings) -> Option<Bar> {
        let cell = Cell {
            kind: self.kind,
            keys: self.keys,
            skew: Skew::Uniform,
            threads: self.threads,
        };
        let measured = findings.checks.as_ref()?.times_governor(cell)?;
        let (name, keys) = (self.kind.name(), super::number::keys(self.keys));
        Some(Bar {
            what: format!("{name}, {keys}, {}", self.threads.name()),
            asked: format!("≥ {} × governor", self.times_min),
            measured,
            unit: "×",
            is_met: measured >= self.times_min,
        })
    }
}

/// At most so many bytes for each of a million keys.
struct Memory {
    kind: Kind,
    bytes_max: f64,
}

const MEMORY_KEYS: usize = 1_000_000;
const MEMORY: [Memory; 3] = [
    Memory {
        kind: Kind::IsAllowed,
        bytes_max: 24.0,
    },
    Memory {
        kind: Kind::FixedWindow,
        bytes_max: 24.0,
    },
    Memory {
        kind: Kind::SlidingWindow,
        bytes_max: 40.0,
    },
];

impl Memory {
    fn hold(&self, findings: &Findings) -> Option<Bar> {
        let growths = findings.bytes.as_ref()?;
        let growth = growths
            .iter()
            .find(|growth| (growth.kind, growth.keys) == (self.kind, MEMORY_KEYS))?;
        let measured = growth.per_key();
        Some(Bar {
            what: format!("{}, bytes per key at 1 M", self.kind.name()),
            asked: format!("≤ {}", self.bytes_max),
            measured,
            unit: "B",
            is_met: measured <= self.bytes_max,
        })
    }
}

const PROCESS_MEGABYTES_MAX: f64 = 60.0;

fn whole_process(findings: &Findings) -> Option<Bar> {
    let growths = findings.bytes.as_ref()?;
    let growth = growths.iter().find(|growth| growth.keys == ACTIVE_KEYS)?;
    let measured = growth.after as f64 / 1e6;
    Some(Bar {
        what: "whole process with 500,000 active keys".to_owned(),
        asked: format!("far under {} MB", short(PROCESS_MEGABYTES_MAX)),
        measured,
        unit: "MB",
        // Far under is half.
        is_met: measured <= PROCESS_MEGABYTES_MAX / 2.0,
    })
}
