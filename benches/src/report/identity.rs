//! What was found out about identity, in tables, bars and JSON.

use serde_json::{Value, json};

use super::{bars::Bar, number::short, table::Table};
use crate::identity::Identity;

pub(super) fn print(identity: &Identity) {
    println!("Identity over HTTP, 50 connections: thousand decisions per second\n");
    let head = [
        "pipeline",
        "who asks",
        "decisions",
        "time per decision beside stated facts",
    ];
    let mut table = Table::new(head.map(str::to_owned));
    for found in &identity.served {
        table.row([
            found.pipeline.to_string(),
            found.what.to_owned(),
            short(found.rate / 1e3),
            format!("{:+.1} %", (found.stated / found.rate - 1.0) * 100.0),
        ]);
    }
    println!("{table}");
    let keys = &identity.keys;
    println!(
        "{} API keys: {} bytes each, loaded in {} ms, found in {} ns, missed in {} ns, one revoked in {} µs\n",
        keys.count,
        short(keys.bytes_each),
        short(keys.load_ms),
        short(keys.find_ns),
        short(keys.miss_ns),
        short(keys.revoke_us)
    );
    if let Some(revocation) = &identity.revocation {
        println!(
            "a revocation on {} nodes over PostgreSQL, of {}: p50 {} ms, p99 {} ms, longest {} ms\n",
            revocation.nodes,
            revocation.count,
            short(revocation.p50_ms),
            short(revocation.p99_ms),
            short(revocation.max_ms)
        );
    }
}

pub(super) fn bars(identity: &Identity) -> Vec<Bar> {
    let asked = |what: &str| match what {
        "API key" => Some(10.0),
        "JWT, seen before" => Some(15.0),
        _ => None,
    };
    let bars = identity.served.iter().filter_map(|found| {
        let most = asked(found.what)?;
        let slower = (found.stated / found.rate - 1.0) * 100.0;
        Some(Bar {
            what: format!(
                "{} over HTTP, pipeline {}, slower",
                found.what, found.pipeline
            ),
            asked: format!("≤ {} %", short(most)),
            measured: slower,
            unit: "%",
            is_met: slower <= most,
        })
    });
    bars.collect()
}

pub(super) fn json(identity: &Identity) -> Value {
    let served = identity.served.iter().map(|found| {
        json!({
            "who": found.what, "pipeline": found.pipeline,
            "decisions_per_s": found.rate, "stated_per_s": found.stated,
        })
    });
    let keys = &identity.keys;
    let revocation = identity.revocation.map(|found| {
        json!({
            "nodes": found.nodes, "count": found.count,
            "p50_ms": found.p50_ms, "p99_ms": found.p99_ms, "max_ms": found.max_ms,
        })
    });
    json!({
        "over_http": served.collect::<Vec<_>>(),
        "api_keys": {
            "count": keys.count, "bytes_each": keys.bytes_each, "load_ms": keys.load_ms,
            "find_ns": keys.find_ns, "miss_ns": keys.miss_ns, "revoke_us": keys.revoke_us,
        },
        "revocation": revocation,
    })
}
