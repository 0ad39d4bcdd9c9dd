//! Leases: decisions from memory that Redis has granted before.

mod late;
mod rig;
mod speed;
mod utilisation;

pub(crate) use late::Late;
pub(crate) use speed::Speed;
pub(crate) use utilisation::Utilisation;

use super::place::single;
use crate::{
    depth::Depth,
    report::{Bar, Found, Table, short},
    servers,
};

/// What was found out about leases.
#[derive(Debug)]
pub(crate) struct Leases {
    pub(crate) speeds: Vec<Speed>,
    /// Over RESP through a server: decisions per second in memory, and leased.
    pub(crate) served: Vec<servers::Beside>,
    pub(crate) late: Late,
    pub(crate) utilisation: Vec<Utilisation>,
}

pub(crate) fn run(depth: Depth) -> anyhow::Result<Leases> {
    let server = single();
    eprintln!("redis: leases in process");
    let speeds = speed::run(&server, depth)?;
    eprintln!("redis: leases through a server");
    let served = servers::leased(&server.url(), depth)?;
    eprintln!("redis: leases while Redis is late");
    let late = late::run(&server, depth)?;
    eprintln!("redis: how much of a limit leases use");
    let utilisation = utilisation::run(&server, depth)?;
    Ok(Leases { speeds, served, late, utilisation })
}

impl Found for Leases {
    fn tables(&self) -> Vec<Table> {
        let served =
            "Leases through a server over RESP, 50 × pipeline 16: thousand decisions per second";
        vec![
            Table::of(
                "Leases: million decisions per second in process, on one core",
                &self.speeds,
                &[
                    ("keys", |it: &Speed| it.keys.into()),
                    ("memory store", |it| (it.memory / 1e6).into()),
                    ("leased", |it| (it.leased / 1e6).into()),
                    ("percent of memory", |it| (it.leased / it.memory * 100.0).into()),
                    ("calls per 1,000", |it| it.calls.into()),
                    ("bytes per key", |it| it.bytes.into()),
                ],
            ),
            Table::of(
                served,
                &self.served,
                &[
                    ("asked for", |it: &servers::Beside| it.what.into()),
                    ("memory", |it| (it.memory / 1e3).into()),
                    ("leased", |it| (it.leased / 1e3).into()),
                    ("percent of memory", |it| (it.leased / it.memory * 100.0).into()),
                ],
            ),
            Table::of(
                "A leased decision: microseconds",
                [&self.late],
                &[
                    ("Redis late by, ms", |it: &Late| it.delay_ms.into()),
                    ("p50", |it| it.late_p50_us.into()),
                    ("p99", |it| it.late_p99_us.into()),
                    ("p50, at once", |it| it.soon_p50_us.into()),
                    ("p99, at once", |it| it.soon_p99_us.into()),
                ],
            ),
            Table::of(
                "How much of a limit leases use when it is saturated",
                &self.utilisation,
                &[
                    ("limit", |it: &Utilisation| it.algorithm.into()),
                    ("holders", |it| it.holders.into()),
                    ("percent used", |it| (it.part * 100.0).into()),
                ],
            ),
        ]
    }

    fn bars(&self) -> Vec<Bar> {
        let part = |what: String, min, part: f64| Bar::at_least(what, min, part * 100.0, "%");
        let mut bars = Vec::new();
        for speed in &self.speeds {
            let (what, min) = match speed.keys {
                1 => ("leased, hot key, beside the memory store", 90.0),
                _ => ("leased, 100,000 warm keys, beside the memory store", 80.0),
            };
            bars.push(part(what.to_owned(), min, speed.leased / speed.memory));
            if speed.keys == 1 {
                let what = "calls to Redis for 1,000 leased decisions, hot key";
                bars.push(Bar::at_most(what, 5.0, speed.calls, ""));
            }
        }
        for beside in &self.served {
            let min = if beside.what == "one key" { 90.0 } else { 80.0 };
            let what = format!("leased over RESP, {}, beside memory", beside.what);
            bars.push(part(what, min, beside.leased / beside.memory));
        }
        let late = &self.late;
        // A machine with two cores has a tick of its own; a journey of 15 ms it is not.
        let max = late.soon_p99_us.mul_add(1.5, 5.0);
        let what = format!("leased p99 with Redis {} ms late", short(late.delay_ms));
        bars.push(Bar::at_most(what, max, late.late_p99_us, "µs"));
        for used in &self.utilisation {
            bars.push(part(
                format!("{} of {} holders used", used.algorithm, used.holders),
                99.0,
                used.part,
            ));
        }
        bars
    }
}
