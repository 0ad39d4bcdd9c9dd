//! Decisions per second in process, leased and in the memory store.

use std::time::{Duration, Instant};

use tollgate::{Charge, Cost, CounterKey, ImmediateStore as _, MemoryStore, RuleId, SystemClock};
use tollgate_testkit::redis::Redis;

use super::{
    super::contest::median,
    rig::{Rig, ample},
};
use crate::{bytes::resident_bytes, depth::Depth};

/// Decisions per second on so many keys.
#[derive(Clone, Debug)]
pub(crate) struct Speed {
    pub(crate) keys: usize,
    pub(crate) memory: f64,
    pub(crate) leased: f64,
    /// Calls to Redis for a thousand leased decisions.
    pub(crate) calls: f64,
    /// What the process grew by for each key that is leased.
    pub(crate) bytes: Option<f64>,
}

const KEYS: [usize; 2] = [1, 100_000];
/// Decisions between two looks at the clock.
const STRETCH: usize = 1_000;
const STRIDE: usize = 7_919;
const LOAD_CORE: usize = 1;

pub(super) fn run(server: &Redis, depth: Depth) -> anyhow::Result<Vec<Speed>> {
    core_affinity::set_for_current(core_affinity::CoreId { id: LOAD_CORE });
    KEYS.into_iter().map(|keys| contest(server, keys, depth)).collect()
}

/// Interleaved rounds, and the median of each.
fn contest(server: &Redis, keys: usize, depth: Depth) -> anyhow::Result<Speed> {
    let (rounds, length) =
        depth.pick((1, Duration::from_millis(200)), (7, Duration::from_millis(1_500)));
    let names: Vec<String> = (0..keys).map(|key| format!("leased-{key}")).collect();
    let limit = ample();
    let memory = MemoryStore::with_capacity(keys.max(1_000) * 2, SystemClock);
    let rig = Rig::start(&server.url())?;
    let before = resident_bytes()?;
    rig.warm(&names, &limit);
    let grown = resident_bytes()?.saturating_sub(before);
    let in_memory = |name: &str| {
        let key = CounterKey::new(RuleId::new(1), name.as_bytes());
        let verdict = memory.charge_now(&[Charge::new(key, &limit, Cost::ONE)]);
        assert!(verdict.is_allowed());
    };
    let leased = |name: &str| assert!(rig.decide(name, &limit).is_allowed());
    let _within = rig.enter();
    let mut found: [Vec<f64>; 2] = Default::default();
    // The first round only warms up.
    let (mut calls, mut decisions) = (0, 0);
    for round in 0..=rounds {
        let before = rig.calls();
        let (rates, decided) = rates(&names, length, in_memory, leased);
        if round > 0 {
            calls += rig.calls() - before;
            decisions += decided;
            found[0].push(rates[0]);
            found[1].push(rates[1]);
        }
    }
    let [memory, leased] = found.map(median);
    Ok(Speed {
        keys,
        memory,
        leased,
        calls: calls as f64 * 1e3 / decisions.max(1) as f64,
        bytes: (keys > 1).then(|| grown as f64 / keys as f64),
    })
}

/// Decisions per second of both, in turns so short that neither is idle, and how many there were of each.
fn rates(
    names: &[String],
    length: Duration,
    one: impl Fn(&str),
    other: impl Fn(&str),
) -> ([f64; 2], u64) {
    let start = Instant::now();
    let (mut turn, mut decided, mut spent) = (0, 0_u64, [Duration::ZERO; 2]);
    while start.elapsed() < length * 2 {
        let first = turn;
        spent[0] += stretch(names, &mut turn, &one);
        turn = first;
        spent[1] += stretch(names, &mut turn, &other);
        decided += STRETCH as u64;
    }
    (spent.map(|spent| decided as f64 / spent.as_secs_f64()), decided)
}

fn stretch(names: &[String], turn: &mut usize, decide: impl Fn(&str)) -> Duration {
    let start = Instant::now();
    for _ in 0..STRETCH {
        decide(&names[*turn]);
        *turn += STRIDE;
        if *turn >= names.len() {
            *turn %= names.len();
        }
    }
    start.elapsed()
}
