//! What was found out about counters in Redis, in tables, bars and JSON.

use serde_json::{Value, json};

use super::{bars::Bar, number::short, table::Table};
use crate::redis::{Contest, Layout, Redis};

pub(super) fn print(redis: &Redis) {
    println!(
        "Counters in Redis {}: thousand decisions per second; servers on one core, callers on another\n",
        redis.version
    );
    let head = [
        "redis",
        "keys",
        "callers",
        "one node",
        "two nodes",
        "script per request",
        "× script",
        "redis-benchmark",
        "a call decides",
    ];
    let mut table = Table::new(head.map(str::to_owned));
    for contest in &redis.contests {
        table.row([
            contest.layout.words().to_owned(),
            contest.keys.to_string(),
            contest.callers.to_string(),
            short(contest.one_node / 1e3),
            short(contest.two_nodes / 1e3),
            short(contest.naive / 1e3),
            short(contest.one_node / contest.naive),
            contest
                .ceiling
                .map_or_else(|| "-".to_owned(), |ceiling| short(ceiling / 1e3)),
            short(contest.together),
        ]);
    }
    println!("{table}");
    let hung = &redis.hung;
    println!(
        "p99 of a decision one at a time, ms: Redis well {}, hung {} (deadline {}), breaker open {}\n",
        short(hung.healthy_p99_ms),
        short(hung.waiting_p99_ms),
        short(hung.deadline_ms),
        short(hung.open_p99_ms)
    );
}

pub(super) fn bars(redis: &Redis) -> Vec<Bar> {
    let of = |keys: usize, callers: usize| {
        let mut contests = redis.contests.iter();
        contests.find(|it| it.layout == Layout::Single && it.keys == keys && it.callers == callers)
    };
    let ratio = |what: &str, asked: f64, contest: Option<&Contest>| {
        let contest = contest?;
        let measured = contest.one_node / contest.naive;
        Some(Bar {
            what: what.to_owned(),
            asked: format!("≥ {} ×", short(asked)),
            measured,
            unit: "×",
            is_met: measured >= asked,
        })
    };
    let at_most = |what: &str, max: f64, measured: f64| Bar {
        what: what.to_owned(),
        asked: format!("≤ {} ms", short(max)),
        measured,
        unit: "ms",
        is_met: measured <= max,
    };
    let hung = &redis.hung;
    let mut bars: Vec<Bar> = [
        ratio(
            "Redis, hot key, 64 callers, beside a script per request",
            3.0,
            of(1, 64),
        ),
        ratio(
            "Redis, 100,000 keys, 64 callers, beside a script per request",
            2.0,
            of(100_000, 64),
        ),
    ]
    .into_iter()
    .flatten()
    .collect();
    bars.push(at_most(
        "decision while Redis hangs, p99",
        hung.deadline_ms + 1.0,
        hung.waiting_p99_ms,
    ));
    bars.push(at_most(
        "decision once the breaker is open, p99",
        1.0,
        hung.open_p99_ms,
    ));
    bars
}

pub(super) fn json(redis: &Redis) -> Value {
    let contests = redis.contests.iter().map(|contest| {
        json!({
            "redis": contest.layout.words(), "keys": contest.keys, "callers": contest.callers,
            "one_node": contest.one_node, "two_nodes": contest.two_nodes, "script_per_request": contest.naive,
            "redis_benchmark": contest.ceiling, "decisions_per_call": contest.together,
        })
    });
    let hung = &redis.hung;
    json!({
        "version": redis.version,
        "contests": contests.collect::<Vec<_>>(),
        "p99_ms": { "healthy": hung.healthy_p99_ms, "hung": hung.waiting_p99_ms, "open": hung.open_p99_ms },
    })
}
