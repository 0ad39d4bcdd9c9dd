//! What was found out about callers, in tables, bars and JSON.

use serde_json::{Value, json};

use super::{
    bars::Bar,
    number::{keys, short},
    table::Table,
};
use crate::client::{Callers, Gone, Layered, Remote};

/// Of what tower_governor adds to a request, ours adds at most this part.
const PART_MAX: f64 = 0.5;
/// A call that the client answers itself takes at most this.
const GONE_NS_MAX: f64 = 1_000.0;

pub(super) fn print(callers: &Callers) {
    println!("A layer before a service that answers at once: nanoseconds per request\n");
    let head = [
        "by",
        "keys",
        "no layer",
        "Tollgate",
        "tower_governor",
        "tower_governor, no header fields",
        "Tollgate adds",
        "tower_governor adds",
        "part",
    ];
    let mut table = Table::new(head.map(str::to_owned));
    for found in &callers.layers {
        table.row([
            found.by.to_owned(),
            keys(found.keys),
            short(found.bare_ns),
            short(found.ours_ns),
            short(found.theirs_ns),
            short(found.theirs_silent_ns),
            short(found.ours_added()),
            short(found.theirs_added()),
            short(found.part()),
        ]);
    }
    println!("{table}");
    println!("A server with 200 rules over loopback\n");
    let head = [
        "",
        "p50 µs, one at a time",
        "p99 µs",
        "thousand per second, 64 at once",
        "not by the server",
    ];
    let mut table = Table::new(head.map(str::to_owned));
    for found in &callers.remote {
        let not_by_server = found.not_by_server.map(|count| count.to_string());
        table.row([
            found.what.to_owned(),
            found.p50_us.to_string(),
            found.p99_us.to_string(),
            short(found.rate / 1e3),
            not_by_server.unwrap_or_else(|| "–".to_owned()),
        ]);
    }
    println!("{table}");
    println!("No server is asked: nanoseconds per call\n");
    let mut table = Table::new(["", "ns"].map(str::to_owned));
    for found in &callers.gone {
        table.row([found.what.to_owned(), short(found.ns)]);
    }
    println!("{table}");
}

pub(super) fn bars(callers: &Callers) -> Vec<Bar> {
    let layers = callers.layers.iter().map(|found| Bar {
        what: format!(
            "a layer keyed by {}, {}, beside tower_governor",
            found.by,
            keys(found.keys)
        ),
        asked: format!("≤ {PART_MAX} ×"),
        measured: found.part(),
        unit: "×",
        is_met: found.part() <= PART_MAX,
    });
    let gone = callers.gone.iter().map(|found| Bar {
        what: format!("a call without a server: {}", found.what),
        asked: format!("≤ {} ns", short(GONE_NS_MAX)),
        measured: found.ns,
        unit: "ns",
        is_met: found.ns <= GONE_NS_MAX,
    });
    layers.chain(gone).collect()
}

pub(super) fn json(callers: &Callers) -> Value {
    let layer = |found: &Layered| {
        json!({
            "by": found.by, "keys": found.keys, "bare_ns": found.bare_ns,
            "tollgate_ns": found.ours_ns, "tower_governor_ns": found.theirs_ns,
            "tower_governor_silent_ns": found.theirs_silent_ns, "part": found.part(),
        })
    };
    let remote = |found: &Remote| {
        json!({
            "what": found.what, "p50_us": found.p50_us, "p99_us": found.p99_us,
            "rate": found.rate, "not_by_server": found.not_by_server,
        })
    };
    let gone = |found: &Gone| json!({ "what": found.what, "ns": found.ns });
    json!({
        "layers": callers.layers.iter().map(layer).collect::<Vec<Value>>(),
        "remote": callers.remote.iter().map(remote).collect::<Vec<Value>>(),
        "gone": callers.gone.iter().map(gone).collect::<Vec<Value>>(),
    })
}
