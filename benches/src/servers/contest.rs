//! Everybody in turn, several times.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use super::{
    fixed::Kind as Fixed,
    grpc,
    load::{Turn, drive},
    peers,
    process::{LOAD_CORE, Process, free_address},
    script::Script,
    sealed::{self, Seal},
    shape::{
        AXUM, BATCH, CEILING, CEILING_CHECK, CHECK, CL_THROTTLE, CRAB, CRAB_GRPC, CRAB_NODELAY,
        INCR, LIMITADOR, LIMITADOR_GRPC, LUA, RLS, TG_CHECK, TONIC,
    },
    shape::{Contest, Measured, Shape, Streams},
    tollgate::Ours,
};
use crate::depth::Depth;

/// Somebody who takes part.
struct Contestant {
    who: String,
    address: SocketAddr,
    seal: Option<Seal>,
    script: Script,
    process: usize,
    turns: Vec<(Turn, Duration)>,
}

/// All servers run all the time; only one of them is asked.
#[derive(Default)]
pub(super) struct Stage {
    processes: Vec<Process>,
    contestants: Vec<Contestant>,
}

/// Where peers are installed that are no packages.
const PEERS: &str = "target/peers";

pub(super) fn run(depth: Depth, absent: &mut Vec<String>) -> anyhow::Result<Vec<Contest>> {
    core_affinity::set_for_current(core_affinity::CoreId { id: LOAD_CORE });
    let ours = Ours::start()?;
    let mut resp = resp_stage(&ours, absent)?;
    let mut http = http_stage(&ours)?;
    let mut batch = Stage::default();
    batch.enter(BATCH, ours.http, Script::batch(), usize::MAX);

    let mut contests = Vec::new();
    for pipeline in [1, 16, 64] {
        contests.push(resp.play(Shape::Resp(pipeline), depth, &ours)?);
    }
    for pipeline in [1, 16] {
        contests.push(http.play(Shape::Http(pipeline), depth, &ours)?);
    }
    contests.push(batch.play(Shape::HttpBatch, depth, &ours)?);
    let mut grpc = grpc_stage(&ours, absent)?;
    for streams in Streams::ALL {
        contests.push(grpc.play(Shape::Grpc(streams), depth, &ours)?);
    }
    contests.push(sealed::run(depth, &ours)?);
    Ok(contests)
}

fn resp_stage(ours: &Ours, absent: &mut Vec<String>) -> anyhow::Result<Stage> {
    let mut stage = Stage::default();
    let bucket = |command: &'static str| {
        Script::resp(b"*5", move |user| {
            let words = [command, &format!("user:{user}"), "1000000", "1000000", "60"];
            words.map(str::to_owned).to_vec()
        })
    };
    stage.enter(CL_THROTTLE, ours.resp, bucket("CL.THROTTLE"), usize::MAX);
    stage.enter(TG_CHECK, ours.resp, Script::tg_check(), usize::MAX);
    stage.fixed(CEILING, Fixed::Resp, bucket("CL.THROTTLE"))?;
    stage.fixed(CEILING_CHECK, Fixed::RespCheck, Script::tg_check())?;

    let address = free_address()?;
    let redis = stage.start(&peers::redis(address), address)?;
    let incr = Script::resp(b":", |user| vec!["INCR".to_owned(), format!("user:{user}")]);
    stage.enter(INCR, address, incr, redis);
    let sha = peers::load_token_bucket(address)?;
    let lua = Script::resp(b"*2", move |user| {
        let words = ["EVALSHA", &sha, "1", &format!("bucket:{user}"), "1000000", "16666"];
        words.map(str::to_owned).to_vec()
    });
    stage.enter(LUA, address, lua, redis);
    stage.crabs(&bucket("THROTTLE"), absent)?;
    Ok(stage)
}

fn http_stage(ours: &Ours) -> anyhow::Result<Stage> {
    let mut stage = Stage::default();
    stage.enter(CHECK, ours.http, Script::check(), usize::MAX);
    stage.fixed(CEILING, Fixed::Http, Script::check())?;
    stage.fixed(AXUM, Fixed::Axum, Script::check())?;
    stage.fixed(LIMITADOR, Fixed::Limitador, Script::check())?;
    Ok(stage)
}

fn grpc_stage(ours: &Ours, absent: &mut Vec<String>) -> anyhow::Result<Stage> {
    let mut stage = Stage::default();
    stage.enter(RLS, ours.grpc, grpc::should_rate_limit(), usize::MAX);
    stage.fixed(TONIC, Fixed::Tonic, grpc::should_rate_limit())?;
    stage.fixed(LIMITADOR_GRPC, Fixed::TonicLimitador, grpc::should_rate_limit())?;
    let address = free_address()?;
    match peers::throttlecrab_grpc(address, Path::new(PEERS)) {
        Ok(command) => {
            let process = stage.start(&command, address)?;
            stage.enter(CRAB_GRPC, address, grpc::throttle(), process);
        }
        Err(error) => absent.push(format!("{CRAB_GRPC}: {error:#}")),
    }
    Ok(stage)
}

impl Stage {
    fn start(&mut self, command: &Command, address: SocketAddr) -> anyhow::Result<usize> {
        let mut process = Process::start(command)?;
        process.listening(address)?;
        self.processes.push(process);
        Ok(self.processes.len() - 1)
    }

    pub(super) fn enter(&mut self, who: &str, address: SocketAddr, script: Script, process: usize) {
        self.contestants.push(Contestant {
            who: who.to_owned(),
            address,
            seal: None,
            script,
            process,
            turns: Vec::new(),
        });
    }

    /// Somebody who is asked over TLS.
    pub(super) fn enter_sealed(
        &mut self,
        who: &str,
        address: SocketAddr,
        script: Script,
        seal: &Seal,
    ) {
        self.enter(who, address, script, 0);
        if let Some(entered) = self.contestants.last_mut() {
            entered.seal = Some(seal.clone());
        }
    }

    /// Everybody goes; the processes stay.
    pub(super) fn leave(&mut self) {
        self.contestants.clear();
    }

    /// A process that runs already.
    pub(super) fn adopt(&mut self, process: Process) {
        self.processes.push(process);
    }

    fn fixed(&mut self, who: &str, kind: Fixed, script: Script) -> anyhow::Result<()> {
        let address = free_address()?;
        let process = self.start(&fixed_command(kind, address)?, address)?;
        self.enter(who, address, script, process);
        Ok(())
    }

    fn crabs(&mut self, script: &Script, absent: &mut Vec<String>) -> anyhow::Result<()> {
        let folder = Path::new(PEERS);
        for who in [CRAB, CRAB_NODELAY] {
            let address = free_address()?;
            let mut command = match peers::throttlecrab(address, folder) {
                Ok(command) => command,
                Err(error) => {
                    absent.push(format!("{who}: {error:#}"));
                    continue;
                }
            };
            if who == CRAB_NODELAY {
                let library: PathBuf = peers::nodelay_library(folder)?;
                command.env("LD_PRELOAD", library.canonicalize()?);
            }
            let process = self.start(&command, address)?;
            self.enter(who, address, script.clone(), process);
        }
        Ok(())
    }

    pub(super) fn play(
        &mut self,
        shape: Shape,
        depth: Depth,
        ours: &Ours,
    ) -> anyhow::Result<Contest> {
        let (rounds, each) =
            depth.pick((1, Duration::from_millis(150)), (5, Duration::from_millis(1_000)));
        eprintln!("  {}", shape.name());
        for round in 0..=rounds {
            for contestant in &mut self.contestants {
                let process = self.processes.get(contestant.process);
                let process = process.unwrap_or(&ours.process);
                let before = process.cpu();
                // The first round only warms up.
                let how_long = if round == 0 { each / 4 } else { each };
                let (at, script) = (contestant.address, &contestant.script);
                let seal = contestant.seal.as_ref();
                let turn = match shape {
                    Shape::Resp(pipeline) | Shape::Http(pipeline) => {
                        drive(at, seal, script, pipeline, how_long)?
                    }
                    Shape::HttpBatch | Shape::Sealed => drive(at, seal, script, 1, how_long)?,
                    Shape::Grpc(streams) => grpc::drive(at, script, streams, how_long)?,
                };
                if round > 0 {
                    contestant.turns.push((turn, process.cpu() - before));
                }
            }
        }
        let measured = self.contestants.iter_mut().map(|contestant| {
            let process = self.processes.get(contestant.process);
            contestant.finish(process.unwrap_or(&ours.process))
        });
        Ok(Contest { shape, measured: measured.collect() })
    }
}

impl Contestant {
    fn finish(&mut self, process: &Process) -> Measured {
        let decisions = self.script.decisions as f64;
        let turns = std::mem::take(&mut self.turns);
        let mut rates: Vec<f64> = turns
            .iter()
            .map(|(turn, _)| turn.requests as f64 * decisions / turn.took.as_secs_f64())
            .collect();
        rates.sort_unstable_by(f64::total_cmp);
        let requests: u64 = turns.iter().map(|(turn, _)| turn.requests).sum();
        let cpu: Duration = turns.iter().map(|(_, cpu)| *cpu).sum();
        let mut all = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 60_000_000, 3)
            .expect("three digits are allowed");
        for (turn, _) in &turns {
            all.add(&turn.latency_us).expect("it grows by itself");
        }
        Measured {
            who: self.who.clone(),
            rate: rates.get(rates.len() / 2).copied().unwrap_or(f64::NAN),
            p50_us: all.value_at_quantile(0.5),
            p99_us: all.value_at_quantile(0.99),
            p999_us: all.value_at_quantile(0.999),
            cpu_us: cpu.as_secs_f64() * 1e6 / (requests as f64 * decisions),
            resident_mb: process.resident() / 1e6,
        }
    }
}

pub(super) fn fixed_command(kind: Fixed, address: SocketAddr) -> anyhow::Result<Command> {
    use clap::ValueEnum as _;
    let name = kind.to_possible_value().map(|value| value.get_name().to_owned());
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("fixed").args(name).arg(address.to_string());
    Ok(command)
}
