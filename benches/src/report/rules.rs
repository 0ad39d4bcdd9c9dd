//! What was found out about rules, in tables, bars and JSON.

use serde_json::{Value, json};

use super::{bars::Bar, number::short, table::Table};
use crate::rules::{Lookup, Rules};

pub(super) fn print(rules: &Rules) {
    println!("Rules: from a request to its charges, nanoseconds; compiling, milliseconds\n");
    let head = [
        "rules",
        "facts to charges",
        "text to charges",
        "limitador, to an answer",
        "compile",
    ];
    let mut table = Table::new(head.map(str::to_owned));
    for lookup in &rules.lookups {
        table.row([
            lookup.rules.to_string(),
            short(lookup.plan_ns),
            short(lookup.query_and_plan_ns),
            short(lookup.limitador_ns),
            short(lookup.compile_ms),
        ]);
    }
    println!("{table}");
    let kilobytes = rules.snapshot_bytes / 1e3;
    println!(
        "A snapshot of 200 rules takes {} kB, rules included.\n",
        short(kilobytes)
    );
    let overrides = &rules.overrides;
    println!(
        "Overrides, {} of them, in a process of their own\n",
        overrides.count
    );
    let mut table = Table::new(["", "measured"].map(str::to_owned));
    let rows = [
        ("bytes each", overrides.bytes_each),
        ("load all, ms", overrides.load_ms),
        ("plan of a key with an override, ns", overrides.plan_ns),
        ("plan without any override, ns", overrides.plan_without_ns),
        ("one edit, µs", overrides.edit_us),
    ];
    for (what, number) in rows {
        table.row([what.to_owned(), short(number)]);
    }
    println!("{table}");
    if let Some(news) = &rules.propagation {
        println!(
            "From commit to enforcement, PostgreSQL, {} watchers, {} edits: p50 {} ms, p99 {} ms, worst {} ms\n",
            news.nodes,
            news.count,
            short(news.p50_ms),
            short(news.p99_ms),
            short(news.max_ms)
        );
    }
}

pub(super) fn bars(rules: &Rules) -> Vec<Bar> {
    let of = |count: usize| rules.lookups.iter().find(|lookup| lookup.rules == count);
    let (Some(small), Some(large)) = (of(200), of(20_000)) else {
        return Vec::new();
    };
    let at_most = |what: &str, max: f64, measured: f64, unit| Bar {
        what: what.to_owned(),
        asked: format!("≤ {} {unit}", short(max)),
        measured,
        unit,
        is_met: measured <= max,
    };
    let ratio = large.plan_ns / small.plan_ns;
    let mut bars = vec![
        at_most("charge list, 200 rules", 1_000.0, small.plan_ns, "ns"),
        at_most("charge list, 20,000 rules beside 200", 2.0, ratio, "×"),
        at_most("compile, 20,000 rules", 1_000.0, large.compile_ms, "ms"),
    ];
    if let Some(news) = &rules.propagation {
        bars.push(at_most(
            "commit to enforcement, p99",
            1_000.0,
            news.p99_ms,
            "ms",
        ));
    }
    bars
}

pub(super) fn json(rules: &Rules) -> Value {
    let lookup = |lookup: &Lookup| {
        json!({
            "rules": lookup.rules,
            "plan_ns": lookup.plan_ns,
            "query_and_plan_ns": lookup.query_and_plan_ns,
            "limitador_ns": lookup.limitador_ns,
            "compile_ms": lookup.compile_ms,
            "charges": lookup.charges,
        })
    };
    let overrides = &rules.overrides;
    json!({
        "lookups": rules.lookups.iter().map(lookup).collect::<Vec<Value>>(),
        "snapshot_bytes": rules.snapshot_bytes,
        "overrides": {
            "count": overrides.count,
            "bytes_each": overrides.bytes_each,
            "load_ms": overrides.load_ms,
            "plan_ns": overrides.plan_ns,
            "plan_without_ns": overrides.plan_without_ns,
            "edit_us": overrides.edit_us,
        },
        "propagation": rules.propagation.as_ref().map(|news| json!({
            "watchers": news.nodes,
            "edits": news.count,
            "p50_ms": news.p50_ms,
            "p99_ms": news.p99_ms,
            "max_ms": news.max_ms,
        })),
    })
}
