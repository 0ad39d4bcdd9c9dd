//! Calls to a server over loopback, beside the same bytes written by hand.

use std::{
    net::SocketAddr,
    rc::Rc,
    time::{Duration, Instant},
};

use hdrhistogram::Histogram;
use tokio::{
    runtime::Runtime,
    task::{JoinSet, LocalSet},
};
use tollgate_client::{Check, Client, Source};

use crate::{
    depth::Depth,
    rules::{Asked, median},
    servers::{LOAD_CORE, Ours, Script, few},
};

/// What calls of one kind cost.
#[derive(Clone, Debug)]
pub(crate) struct Remote {
    pub(crate) what: &'static str,
    /// One at a time.
    pub(crate) p50_us: u64,
    pub(crate) p99_us: u64,
    /// A second, with many under way.
    pub(crate) rate: f64,
    /// How many the server did not answer; none where there is nobody else to answer.
    pub(crate) not_by_server: Option<u64>,
}

/// Callers at once, and what that comes to by hand: two connections like the client's, each with half of them.
const CALLERS: usize = 64;
const CONNECTIONS: usize = 2;
/// Long enough that nothing falls back.
const PATIENT: Duration = Duration::from_secs(1);
const USERS: usize = 4_096;

pub(super) fn run(depth: Depth) -> anyhow::Result<Vec<Remote>> {
    core_affinity::set_for_current(core_affinity::CoreId { id: LOAD_CORE });
    let (rounds, turn) =
        depth.pick((1, Duration::from_millis(50)), (5, Duration::from_millis(500)));
    let ours = Ours::start()?;
    let asked: Rc<[[String; 4]]> = (0..USERS).map(facts).collect();
    let ping = Script::resp(b"+PONG", |_| vec!["PING".to_owned()]);
    let client = |url: String| Speaker::client(&url, &asked);
    let mut lanes = [
        ("Client over HTTP", client(format!("http://{}", ours.http))?),
        ("the same by hand", Speaker::Hand(ours.http, Script::check())),
        ("Client over RESP", client(format!("redis://{}", ours.resp))?),
        ("TG.CHECK by hand", Speaker::Hand(ours.resp, Script::tg_check())),
        ("PING by hand", Speaker::Hand(ours.resp, ping)),
    ]
    .map(|(what, speaker)| Lane::new(what, speaker));
    for round in 0..=rounds {
        for lane in &mut lanes {
            // The first round only warms up.
            if round == 0 {
                lane.turn(turn / 4)?;
                lane.forget();
            } else {
                lane.turn(turn)?;
            }
        }
    }
    Ok(lanes.iter_mut().map(Lane::finish).collect())
}

/// Facts of the wire, as in the other benchmarks of servers.
fn facts(number: usize) -> [String; 4] {
    let user = number * 7_919 % 100_000;
    let facts = Asked::new(user % 200).facts(user);
    facts.map(|(_, value)| value)
}

fn check([user, endpoint, method, ip]: &[String; 4]) -> Check<'_> {
    let check = Check::new().user(user).endpoint(endpoint);
    check.method(method).ip(ip)
}

/// Who asks.
enum Speaker {
    Client {
        /// The client's connections live in it.
        runtime: Runtime,
        client: Client,
        asked: Rc<[[String; 4]]>,
    },
    Hand(SocketAddr, Script),
}

struct Lane {
    what: &'static str,
    speaker: Speaker,
    latency_us: Histogram<u64>,
    rates: Vec<f64>,
}

impl Speaker {
    fn client(url: &str, asked: &Rc<[[String; 4]]>) -> anyhow::Result<Self> {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        Ok(Self::Client {
            runtime: builder.enable_all().build()?,
            client: Client::builder(url).deadline(PATIENT).build()?,
            asked: Rc::clone(asked),
        })
    }
}

impl Lane {
    fn new(what: &'static str, speaker: Speaker) -> Self {
        Self { what, speaker, latency_us: histogram(), rates: Vec::new() }
    }

    /// One at a time, then many at once.
    fn turn(&mut self, how_long: Duration) -> anyhow::Result<()> {
        let (latency_us, calls, took) = match &self.speaker {
            Speaker::Hand(address, script) => {
                let alone = few(*address, script, (1, 1), how_long)?;
                let pipeline = CALLERS / CONNECTIONS;
                let many = few(*address, script, (CONNECTIONS, pipeline), how_long)?;
                (alone.latency_us, many.requests, many.took)
            }
            Speaker::Client { runtime, client, asked } => {
                let alone = runtime.block_on(one_by_one(client, asked, how_long))?;
                let start = Instant::now();
                let many = together(client, asked, how_long);
                let calls = LocalSet::new().block_on(runtime, many)?;
                (alone, calls, start.elapsed())
            }
        };
        self.latency_us.add(latency_us)?;
        self.rates.push(calls as f64 / took.as_secs_f64());
        Ok(())
    }

    fn forget(&mut self) {
        self.latency_us.clear();
        self.rates.clear();
    }

    fn finish(&mut self) -> Remote {
        let not_by_server = match &self.speaker {
            Speaker::Hand(..) => None,
            Speaker::Client { client, .. } => {
                let status = client.status();
                let fallen = status.by_fallback;
                Some(fallen.allowed + fallen.denied + status.cached_denials)
            }
        };
        Remote {
            what: self.what,
            p50_us: self.latency_us.value_at_quantile(0.5),
            p99_us: self.latency_us.value_at_quantile(0.99),
            rate: median(&mut self.rates),
            not_by_server,
        }
    }
}

fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000, 3).expect("three digits are allowed")
}

async fn one_by_one(
    client: &Client,
    asked: &[[String; 4]],
    how_long: Duration,
) -> anyhow::Result<Histogram<u64>> {
    let mut latency_us = histogram();
    let begun = Instant::now();
    for facts in asked.iter().cycle() {
        let check = check(facts);
        let start = Instant::now();
        let answer = client.check(&check).await?;
        if answer.source() == Source::Server {
            latency_us.saturating_record(start.elapsed().as_micros() as u64);
        }
        if begun.elapsed() >= how_long {
            break;
        }
    }
    Ok(latency_us)
}

/// How many calls that was.
async fn together(
    client: &Client,
    asked: &Rc<[[String; 4]]>,
    how_long: Duration,
) -> anyhow::Result<u64> {
    let deadline = Instant::now() + how_long;
    let mut tasks = JoinSet::new();
    for caller in 0..CALLERS {
        let (client, asked) = (client.clone(), Rc::clone(asked));
        tasks.spawn_local(async move {
            let mut calls = 0;
            for facts in asked.iter().cycle().skip(caller * 61) {
                client.check(&check(facts)).await?;
                calls += 1;
                if Instant::now() >= deadline {
                    break;
                }
            }
            Ok::<u64, tollgate_client::Error>(calls)
        });
    }
    let mut calls = 0;
    while let Some(done) = tasks.join_next().await {
        calls += done??;
    }
    Ok(calls)
}
