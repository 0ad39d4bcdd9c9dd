//! Latency at a load that is offered, not taken: requests leave on time whether answers came or not.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use hdrhistogram::Histogram;

use super::{
    contest,
    fixed::Kind as Fixed,
    load::CONNECTIONS,
    process::{LOAD_CORE, Process, free_address},
    script::Script,
    shape::{CEILING, CEILING_CHECK, CHECK, TG_CHECK},
    shape::{Contest, Shape},
    tollgate::Ours,
};
use crate::depth::Depth;

/// How one server did at a given load.
#[derive(Debug)]
pub(crate) struct Paced {
    pub(crate) who: &'static str,
    pub(crate) offered: f64,
    pub(crate) p50_us: u64,
    pub(crate) p99_us: u64,
    pub(crate) p999_us: u64,
}

/// Ours and the ceiling, both at four fifths of our peak, in turn.
pub(super) fn run(depth: Depth, contests: &[Contest]) -> anyhow::Result<Vec<Paced>> {
    core_affinity::set_for_current(core_affinity::CoreId { id: LOAD_CORE });
    let ours = Ours::start()?;
    let mut found = Vec::new();
    let peak = |shape, who| {
        let contest = contests.iter().find(|contest| contest.shape == shape);
        contest.and_then(|contest| contest.of(who)).map(|ours| ours.rate)
    };
    if let Some(peak) = peak(Shape::Resp(1), TG_CHECK) {
        let pair = (TG_CHECK, ours.resp, CEILING_CHECK, Fixed::RespCheck);
        found.extend(duel(pair, &Script::tg_check(), peak * 0.8, depth)?);
    }
    if let Some(peak) = peak(Shape::Http(1), CHECK) {
        let pair = (CHECK, ours.http, CEILING, Fixed::Http);
        found.extend(duel(pair, &Script::check(), peak * 0.8, depth)?);
    }
    Ok(found)
}

fn duel(
    (who, address, ceiling, kind): (&'static str, SocketAddr, &'static str, Fixed),
    script: &Script,
    offered: f64,
    depth: Depth,
) -> anyhow::Result<[Paced; 2]> {
    let fixed = free_address()?;
    let mut process = Process::start(&contest::fixed_command(kind, fixed)?)?;
    process.listening(fixed)?;
    let (rounds, each) = depth.pick((1, Duration::from_millis(200)), (5, Duration::from_secs(1)));
    let mut latencies = [
        Histogram::<u64>::new_with_bounds(1, 60_000_000, 3)?,
        Histogram::new_with_bounds(1, 60_000_000, 3)?,
    ];
    for _ in 0..rounds {
        for (latency, address) in latencies.iter_mut().zip([address, fixed]) {
            latency.add(&pace(address, script, offered, each)?)?;
        }
    }
    let [one, other] = latencies;
    let paced = |who, latency: &Histogram<u64>| Paced {
        who,
        offered,
        p50_us: latency.value_at_quantile(0.5),
        p99_us: latency.value_at_quantile(0.99),
        p999_us: latency.value_at_quantile(0.999),
    };
    Ok([paced(who, &one), paced(ceiling, &other)])
}

struct Lane {
    stream: TcpStream,
    next: usize,
    due: Instant,
    /// When the request that is under way was due.
    asked: Option<Instant>,
}

/// Every connection asks at even intervals; a request that waits for its connection counts from when it
/// was due. The core is kept busy looking, so that no timer adds its own delay.
fn pace(
    address: SocketAddr,
    script: &Script,
    offered: f64,
    how_long: Duration,
) -> anyhow::Result<Histogram<u64>> {
    let interval = Duration::from_secs_f64(CONNECTIONS as f64 / offered);
    let start = Instant::now() + Duration::from_millis(5);
    let mut lanes = Vec::new();
    for number in 0..CONNECTIONS {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        lanes.push(Lane {
            stream,
            next: number * 83,
            due: start + interval.mul_f64(number as f64 / CONNECTIONS as f64),
            asked: None,
        });
    }
    let mut latency_us = Histogram::new_with_bounds(1, 60_000_000, 3)?;
    let mut input = vec![0; 64 * 1024];
    let end = start + how_long;
    loop {
        let mut is_done = true;
        for lane in &mut lanes {
            let now = Instant::now();
            match lane.asked {
                None if lane.due <= now && lane.due < end => {
                    lane.stream.write_all(script.run(lane.next, 1))?;
                    lane.next += 1;
                    lane.asked = Some(lane.due);
                    lane.due += interval;
                }
                Some(due) => match lane.stream.read(&mut input) {
                    Ok(0) => anyhow::bail!("the server closed a connection"),
                    Ok(_) => {
                        latency_us.saturating_record(due.elapsed().as_micros() as u64);
                        lane.asked = None;
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    Err(error) => return Err(error.into()),
                },
                None => {}
            }
            is_done &= lane.asked.is_none() && lane.due >= end;
        }
        if is_done {
            return Ok(latency_us);
        }
    }
}
