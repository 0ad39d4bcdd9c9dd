//! What was found out about leases, in tables, bars and JSON.

use serde_json::{Value, json};

use super::{bars::Bar, number::short, table::Table};
use crate::redis::Leases;

pub(super) fn print(leases: &Leases) {
    println!("Leases: million decisions per second in process, on one core\n");
    let head = [
        "keys",
        "memory store",
        "leased",
        "of memory",
        "calls per 1,000",
        "bytes per key",
    ];
    let mut table = Table::new(head.map(str::to_owned));
    for speed in &leases.speeds {
        table.row([
            speed.keys.to_string(),
            short(speed.memory / 1e6),
            short(speed.leased / 1e6),
            percent(speed.leased / speed.memory),
            short(speed.calls),
            speed.bytes.map_or_else(|| "-".to_owned(), short),
        ]);
    }
    println!("{table}");
    println!("Through a server over RESP, 50 × pipeline 16: thousand decisions per second\n");
    let mut table = Table::new(["asked for", "memory", "leased", "of memory"].map(str::to_owned));
    for beside in &leases.served {
        table.row([
            beside.what.to_owned(),
            short(beside.memory / 1e3),
            short(beside.leased / 1e3),
            percent(beside.leased / beside.memory),
        ]);
    }
    println!("{table}");
    let late = &leases.late;
    println!(
        "a leased decision, µs: Redis at once p50 {}, p99 {}; {} ms late p50 {}, p99 {}\n",
        short(late.soon_p50_us),
        short(late.soon_p99_us),
        short(late.delay_ms),
        short(late.late_p50_us),
        short(late.late_p99_us)
    );
    let mut table = Table::new(["limit", "holders", "used when saturated"].map(str::to_owned));
    for used in &leases.utilisation {
        let part = percent(used.part);
        table.row([used.algorithm.to_owned(), used.holders.to_string(), part]);
    }
    println!("{table}");
}

fn percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}

pub(super) fn bars(leases: &Leases) -> Vec<Bar> {
    let at_least = |what: String, asked: f64, part: f64| Bar {
        what,
        asked: format!("≥ {} %", short(asked)),
        measured: part * 100.0,
        unit: "%",
        is_met: part * 100.0 >= asked,
    };
    let mut bars = Vec::new();
    for speed in &leases.speeds {
        let (what, asked) = match speed.keys {
            1 => ("leased, hot key, beside the memory store", 90.0),
            _ => ("leased, 100,000 warm keys, beside the memory store", 80.0),
        };
        bars.push(at_least(
            what.to_owned(),
            asked,
            speed.leased / speed.memory,
        ));
        if speed.keys == 1 {
            bars.push(Bar {
                what: "calls to Redis for 1,000 leased decisions, hot key".to_owned(),
                asked: "≤ 5".to_owned(),
                measured: speed.calls,
                unit: "",
                is_met: speed.calls <= 5.0,
            });
        }
    }
    for beside in &leases.served {
        let asked = if beside.what == "one key" { 90.0 } else { 80.0 };
        let what = format!("leased over RESP, {}, beside memory", beside.what);
        bars.push(at_least(what, asked, beside.leased / beside.memory));
    }
    let late = &leases.late;
    // A machine with two cores has a tick of its own; a journey of 15 ms it is not.
    let most = late.soon_p99_us.mul_add(1.5, 5.0);
    bars.push(Bar {
        what: format!("leased p99 with Redis {} ms late", short(late.delay_ms)),
        asked: format!("≤ {} µs", short(most)),
        measured: late.late_p99_us,
        unit: "µs",
        is_met: late.late_p99_us <= most,
    });
    for used in &leases.utilisation {
        let what = format!("{} of {} holders used", used.algorithm, used.holders);
        bars.push(at_least(what, 99.0, used.part));
    }
    bars
}

pub(super) fn json(leases: &Leases) -> Value {
    let speeds = leases.speeds.iter().map(|speed| {
        json!({
            "keys": speed.keys, "memory": speed.memory, "leased": speed.leased,
            "calls_per_1000": speed.calls, "bytes_per_key": speed.bytes,
        })
    });
    let served = leases.served.iter().map(
        |beside| json!({ "asked_for": beside.what, "memory": beside.memory, "leased": beside.leased }),
    );
    let used = leases
        .utilisation
        .iter()
        .map(|used| json!({ "limit": used.algorithm, "holders": used.holders, "part": used.part }));
    let late = &leases.late;
    json!({
        "in_process": speeds.collect::<Vec<_>>(),
        "over_resp": served.collect::<Vec<_>>(),
        "late_us": {
            "delay_ms": late.delay_ms, "soon_p50": late.soon_p50_us, "soon_p99": late.soon_p99_us,
            "late_p50": late.late_p50_us, "late_p99": late.late_p99_us,
        },
        "utilisation": used.collect::<Vec<_>>(),
    })
}
