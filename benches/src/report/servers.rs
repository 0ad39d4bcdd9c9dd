//! What was found out about servers, in tables, bars and JSON.

use serde_json::{Value, json};

use super::{bars::Bar, number::short, table::Table};
use crate::servers::{
    Contest, Measured, Paced, Servers, Shape, Streams,
    names::{
        AXUM, BATCH, CEILING, CEILING_CHECK, CHECK, CL_THROTTLE, CRAB_GRPC, CRAB_NODELAY, INCR,
        LIMITADOR, LIMITADOR_GRPC, LUA, RLS, TG_CHECK, TONIC,
    },
};

pub(super) fn print(servers: &Servers) {
    println!("Servers over loopback, one core for the server, another for whoever asks\n");
    for contest in &servers.contests {
        let what = format!("{} (decisions/s)", contest.shape.name());
        let head = [
            &*what,
            "rate",
            "p50 µs",
            "p99 µs",
            "p99.9 µs",
            "CPU µs each",
            "MB",
        ];
        let mut table = Table::new(head.map(str::to_owned));
        for measured in &contest.measured {
            table.row([
                measured.who.clone(),
                thousands(measured.rate),
                measured.p50_us.to_string(),
                measured.p99_us.to_string(),
                measured.p999_us.to_string(),
                short(measured.cpu_us),
                short(measured.resident_mb),
            ]);
        }
        println!("{table}");
    }
    println!("At four fifths of our peak, 50 connections, latency from when a request was due\n");
    let head = ["", "offered", "p50 µs", "p99 µs", "p99.9 µs"];
    let mut table = Table::new(head.map(str::to_owned));
    for paced in &servers.paced {
        table.row([
            paced.who.to_owned(),
            thousands(paced.offered),
            paced.p50_us.to_string(),
            paced.p99_us.to_string(),
            paced.p999_us.to_string(),
        ]);
    }
    println!("{table}");
    let memory = &servers.memory;
    println!(
        "The server takes {} MB idle, {} MB with {} keys.\n",
        short(memory.idle_mb),
        short(memory.with_keys_mb),
        memory.keys
    );
    for absent in &servers.absent {
        println!("Not measured: {absent}\n");
    }
}

fn thousands(rate: f64) -> String {
    if rate < 1e6 {
        format!("{} k", short(rate / 1e3))
    } else {
        format!("{} M", short(rate / 1e6))
    }
}

/// At least so many times what somebody else did at the same shape.
struct Ratio {
    shape: Shape,
    ours: &'static str,
    theirs: &'static str,
    times_min: f64,
}

const fn ratio(shape: Shape, ours: &'static str, theirs: &'static str, times_min: f64) -> Ratio {
    Ratio {
        shape,
        ours,
        theirs,
        times_min,
    }
}

const RATIOS: [Ratio; 22] = [
    ratio(Shape::Resp(1), CL_THROTTLE, CEILING, 0.9),
    ratio(Shape::Resp(1), TG_CHECK, CEILING_CHECK, 0.85),
    ratio(Shape::Resp(1), CL_THROTTLE, CRAB_NODELAY, 1.3),
    ratio(Shape::Resp(16), CL_THROTTLE, CEILING, 0.6),
    ratio(Shape::Resp(16), TG_CHECK, CEILING_CHECK, 0.45),
    ratio(Shape::Resp(16), CL_THROTTLE, CRAB_NODELAY, 8.0),
    ratio(Shape::Resp(16), CL_THROTTLE, LUA, 12.0),
    ratio(Shape::Resp(64), CL_THROTTLE, INCR, 1.2),
    ratio(Shape::Resp(64), TG_CHECK, INCR, 1.2),
    ratio(Shape::Http(1), CHECK, AXUM, 1.3),
    ratio(Shape::Http(1), CHECK, LIMITADOR, 3.0),
    ratio(Shape::Http(16), CHECK, AXUM, 1.3),
    ratio(Shape::Http(16), CHECK, LIMITADOR, 3.0),
    ratio(grpc(0), RLS, TONIC, 1.0),
    ratio(grpc(0), RLS, CRAB_GRPC, 1.0),
    ratio(grpc(0), RLS, LIMITADOR_GRPC, 1.0),
    ratio(grpc(1), RLS, TONIC, 1.0),
    ratio(grpc(1), RLS, CRAB_GRPC, 1.0),
    ratio(grpc(1), RLS, LIMITADOR_GRPC, 1.0),
    ratio(grpc(2), RLS, TONIC, 1.0),
    ratio(grpc(2), RLS, CRAB_GRPC, 1.0),
    ratio(grpc(2), RLS, LIMITADOR_GRPC, 1.0),
];

const fn grpc(which: usize) -> Shape {
    Shape::Grpc(Streams::ALL[which])
}

pub(super) fn bars(servers: &Servers) -> Vec<Bar> {
    let mut bars: Vec<Bar> = RATIOS.iter().filter_map(|bar| bar.hold(servers)).collect();
    let batch = servers
        .contests
        .iter()
        .find(|contest| contest.shape == Shape::HttpBatch);
    if let Some(measured) = batch.and_then(|contest| contest.of(BATCH)) {
        let millions = measured.rate / 1e6;
        bars.push(Bar {
            what: "HTTP batch of 100, one core".to_owned(),
            asked: "≥ 1 M/s".to_owned(),
            measured: millions,
            unit: "M/s",
            is_met: millions >= 1.0,
        });
    }
    for pair in servers.paced.chunks(2) {
        if let [ours, ceiling] = pair {
            let times = ours.p99_us as f64 / ceiling.p99_us as f64;
            bars.push(Bar {
                what: format!("p99 at 80 %, {} beside its ceiling", ours.who),
                asked: "≤ 1.5 ×".to_owned(),
                measured: times,
                unit: "×",
                is_met: times <= 1.5,
            });
        }
    }
    let memory = &servers.memory;
    let sizes = [
        ("idle server", memory.idle_mb, 25.0),
        ("server with 500,000 keys", memory.with_keys_mb, 45.0),
    ];
    bars.extend(sizes.map(|(what, measured, max)| Bar {
        what: what.to_owned(),
        asked: format!("≤ {max} MB"),
        measured,
        unit: "MB",
        is_met: measured <= max,
    }));
    bars
}

impl Ratio {
    fn hold(&self, servers: &Servers) -> Option<Bar> {
        let mut contests = servers.contests.iter();
        let contest: &Contest = contests.find(|contest| contest.shape == self.shape)?;
        let times = contest.of(self.ours)?.rate / contest.of(self.theirs)?.rate;
        Some(Bar {
            what: format!(
                "{}: {} beside {}",
                self.shape.name(),
                self.ours,
                self.theirs
            ),
            asked: format!("≥ {} ×", self.times_min),
            measured: times,
            unit: "×",
            is_met: times >= self.times_min,
        })
    }
}

pub(super) fn json(servers: &Servers) -> Value {
    let measured = |measured: &Measured| {
        json!({
            "who": measured.who,
            "rate": measured.rate,
            "p50_us": measured.p50_us,
            "p99_us": measured.p99_us,
            "p999_us": measured.p999_us,
            "cpu_us": measured.cpu_us,
            "resident_mb": measured.resident_mb,
        })
    };
    let contest = |contest: &Contest| {
        json!({
            "shape": contest.shape.name(),
            "measured": contest.measured.iter().map(measured).collect::<Vec<Value>>(),
        })
    };
    let paced = |paced: &Paced| {
        json!({
            "who": paced.who,
            "offered": paced.offered,
            "p50_us": paced.p50_us,
            "p99_us": paced.p99_us,
            "p999_us": paced.p999_us,
        })
    };
    json!({
        "contests": servers.contests.iter().map(contest).collect::<Vec<Value>>(),
        "paced": servers.paced.iter().map(paced).collect::<Vec<Value>>(),
        "idle_mb": servers.memory.idle_mb,
        "keys": servers.memory.keys,
        "with_keys_mb": servers.memory.with_keys_mb,
        "absent": servers.absent,
    })
}
