//! Servers over loopback: ours, its peers, and how fast the same sockets are with nothing behind them.

mod contest;
mod fixed;
mod grpc;
mod identified;
mod leased;
mod load;
mod memory;
mod paced;
mod peers;
mod process;
mod script;
mod sealed;
mod shape;
mod tollgate;

pub(crate) use fixed::{Kind as FixedKind, serve as serve_fixed};
pub(crate) use identified::{Identified, identified};
pub(crate) use leased::{Beside, leased};
pub(crate) use load::few;
pub(crate) use memory::Memory;
pub(crate) use paced::Paced;
pub(crate) use process::LOAD_CORE;
pub(crate) use script::Script;
pub(crate) use shape::{Contest, Measured, Shape, Streams};
pub(crate) use tollgate::Ours;

use crate::{
    depth::Depth,
    report::{Bar, Found, Table},
};
use shape::{
    AXUM, BATCH, CEILING, CEILING_CHECK, CHECK, CL_THROTTLE, CRAB_GRPC, CRAB_NODELAY, INCR,
    LIMITADOR, LIMITADOR_GRPC, LUA, RLS, TG_CHECK, TONIC,
};

/// Everything measured about servers.
#[derive(Debug)]
pub(crate) struct Servers {
    pub(crate) contests: Vec<Contest>,
    pub(crate) paced: Vec<Paced>,
    pub(crate) memory: Memory,
    /// Peers that could not be had, and why.
    pub(crate) absent: Vec<String>,
}

pub(crate) fn run(depth: Depth) -> anyhow::Result<Servers> {
    let mut absent = Vec::new();
    eprintln!("servers: throughput");
    let contests = contest::run(depth, &mut absent)?;
    eprintln!("servers: latency at four fifths of the peak");
    let paced = paced::run(depth, &contests)?;
    eprintln!("servers: memory");
    let memory = memory::run(depth)?;
    Ok(Servers { contests, paced, memory, absent })
}

/// At this shape, ours does at least so many times what another does.
type Ratio = (Shape, &'static str, &'static str, f64);

const RATIOS: [Ratio; 13] = [
    (Shape::Resp(1), CL_THROTTLE, CEILING, 0.9),
    (Shape::Resp(1), TG_CHECK, CEILING_CHECK, 0.85),
    (Shape::Resp(1), CL_THROTTLE, CRAB_NODELAY, 1.3),
    (Shape::Resp(16), CL_THROTTLE, CEILING, 0.6),
    (Shape::Resp(16), TG_CHECK, CEILING_CHECK, 0.45),
    (Shape::Resp(16), CL_THROTTLE, CRAB_NODELAY, 8.0),
    (Shape::Resp(16), CL_THROTTLE, LUA, 12.0),
    (Shape::Resp(64), CL_THROTTLE, INCR, 1.2),
    (Shape::Resp(64), TG_CHECK, INCR, 1.2),
    (Shape::Http(1), CHECK, AXUM, 1.3),
    (Shape::Http(1), CHECK, LIMITADOR, 3.0),
    (Shape::Http(16), CHECK, AXUM, 1.3),
    (Shape::Http(16), CHECK, LIMITADOR, 3.0),
];

impl Found for Servers {
    fn tables(&self) -> Vec<Table> {
        let contest = |contest: &Contest| {
            let title = format!(
                "{}, one core for the server, another for whoever asks",
                contest.shape.name()
            );
            Table::of(
                title,
                &contest.measured,
                &[
                    ("", |it: &Measured| it.who.clone().into()),
                    ("thousand decisions/s", |it| (it.rate / 1e3).into()),
                    ("p50 µs", |it| it.p50_us.into()),
                    ("p99 µs", |it| it.p99_us.into()),
                    ("p99.9 µs", |it| it.p999_us.into()),
                    ("CPU µs each", |it| it.cpu_us.into()),
                    ("MB", |it| it.resident_mb.into()),
                ],
            )
        };
        let paced =
            "At four fifths of our peak, 50 connections, latency from when a request was due";
        let mut tables: Vec<Table> = self.contests.iter().map(contest).collect();
        tables.push(Table::of(
            paced,
            &self.paced,
            &[
                ("", |it: &Paced| it.who.into()),
                ("thousand offered/s", |it| (it.offered / 1e3).into()),
                ("p50 µs", |it| it.p50_us.into()),
                ("p99 µs", |it| it.p99_us.into()),
                ("p99.9 µs", |it| it.p999_us.into()),
            ],
        ));
        tables.push(Table::of(
            "What the server takes",
            [&self.memory],
            &[
                ("MB idle", |it: &Memory| it.idle_mb.into()),
                ("MB with keys", |it| it.with_keys_mb.into()),
                ("keys", |it| it.keys.into()),
            ],
        ));
        tables.extend(
            self.absent.iter().map(|absent| Table::remark(format!("Not measured: {absent}"))),
        );
        tables
    }

    fn bars(&self) -> Vec<Bar> {
        let grpc = |streams| {
            [TONIC, CRAB_GRPC, LIMITADOR_GRPC].map(|who| (Shape::Grpc(streams), RLS, who, 1.0))
        };
        let ratios = RATIOS.into_iter().chain(Streams::ALL.into_iter().flat_map(grpc));
        let mut bars: Vec<Bar> = ratios.filter_map(|ratio| self.hold(ratio)).collect();
        if let Some(measured) = self.of(Shape::HttpBatch, BATCH) {
            bars.push(Bar::at_least(
                "HTTP batch of 100, one core",
                1.0,
                measured.rate / 1e6,
                "M/s",
            ));
        }
        for pair in self.paced.chunks(2) {
            if let [ours, ceiling] = pair {
                let what = format!("p99 at 80 %, {} beside its ceiling", ours.who);
                bars.push(Bar::at_most(what, 1.5, ours.p99_us as f64 / ceiling.p99_us as f64, "×"));
            }
        }
        bars.push(Bar::at_most("idle server", 25.0, self.memory.idle_mb, "MB"));
        bars.push(Bar::at_most("server with 500,000 keys", 45.0, self.memory.with_keys_mb, "MB"));
        bars
    }
}

impl Servers {
    fn of(&self, shape: Shape, who: &str) -> Option<&Measured> {
        self.contests.iter().find(|contest| contest.shape == shape)?.of(who)
    }

    fn hold(&self, (shape, ours, theirs, min): Ratio) -> Option<Bar> {
        let times = self.of(shape, ours)?.rate / self.of(shape, theirs)?.rate;
        Some(Bar::at_least(format!("{}: {ours} beside {theirs}", shape.name()), min, times, "×"))
    }
}
