//! The same for programs.

use serde_json::{Value, json};

use super::{Findings, bars::bars};
use crate::{bytes::Growth, checks::Grid, instructions::Count, machine::Machine};

pub(crate) fn json(findings: &Findings) -> Value {
    let instructions = findings
        .instructions
        .as_ref()
        .and_then(|counts| counts.as_deref());
    let bars: Vec<Value> = bars(findings)
        .iter()
        .map(|bar| {
            json!({
                "what": bar.what,
                "asked": bar.asked,
                "measured": bar.measured,
                "unit": bar.unit,
                "met": bar.is_met,
            })
        })
        .collect();
    json!({
        "machine": machine(&findings.machine),
        "checks": findings.checks.as_ref().map(checks),
        "bytes": findings.bytes.as_deref().map(bytes),
        "instructions": instructions.map(instruction_counts),
        "rules": findings.rules.as_ref().map(super::rules::json),
        "servers": findings.servers.as_ref().map(super::servers::json),
        "redis": findings.redis.as_ref().map(super::redis::json),
        "leases": findings.leases.as_ref().map(super::leases::json),
        "identity": findings.identity.as_ref().map(super::identity::json),
        "client": findings.client.as_ref().map(super::client::json),
        "bars": bars,
    })
}

fn machine(machine: &Machine) -> Value {
    json!({
        "processor": machine.processor,
        "cores": machine.cores,
        "kernel": machine.kernel,
        "compiler": machine.compiler,
        "peers": machine.peers,
        "load": machine.load,
    })
}

fn checks(grid: &Grid) -> Vec<Value> {
    let line = |(cell, nanos)| {
        let crate::checks::Cell {
            kind,
            keys,
            skew,
            threads,
        } = cell;
        json!({
            "subject": kind.word(),
            "keys": keys,
            "skew": skew.name(),
            "threads": threads.count(),
            "nanoseconds": nanos,
            "times_governor": grid.times_governor(cell),
        })
    };
    grid.iter().map(line).collect()
}

fn bytes(growths: &[Growth]) -> Vec<Value> {
    let line = |growth: &Growth| {
        json!({
            "subject": growth.kind.word(),
            "keys": growth.keys,
            "bytes_per_key": growth.per_key(),
            "process_bytes": growth.after,
        })
    };
    growths.iter().map(line).collect()
}

fn instruction_counts(counts: &[Count]) -> Vec<Value> {
    let line = |count: &Count| {
        json!({
            "subject": count.kind.word(),
            "keys": count.keys,
            "per_check": count.per_check,
        })
    };
    counts.iter().map(line).collect()
}
