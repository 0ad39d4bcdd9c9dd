//! Callers that ask one after the other, as many at once as are asked for.

use std::{
    cell::Cell,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::task::LocalSet;
use tollgate::{Charge, Cost, CounterKey, Limit, MemoryStore, RuleId, Store as _, SystemClock};
use tollgate_redis::{Leases, Options, RedisStore, Standing};

use super::naive::Naive;

pub(super) type Node = Arc<RedisStore<MemoryStore<SystemClock>>>;

/// A node that has found its servers.
pub(super) async fn node(
    urls: &[String],
    deadline: Duration,
    leases: Leases,
) -> anyhow::Result<Node> {
    let mut options = Options::new(urls.iter().cloned());
    options.deadline = deadline;
    options.leases = leases;
    let local = MemoryStore::with_capacity(1_000, SystemClock);
    let store = RedisStore::start(options, local, Arc::new(SystemClock))?;
    loop {
        let shards = store.health().shards;
        let is_up = |standing| standing == Standing::Up;
        if !shards.is_empty() && shards.iter().all(|shard| is_up(shard.standing)) {
            return Ok(Arc::new(store));
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Decisions per second of nodes that share the callers.
pub(super) async fn ours(nodes: &[Node], callers: usize, keys: usize, length: Duration) -> f64 {
    let limit: Limit = "1000000/s".parse::<Limit>().expect("a limit");
    let limit = limit.with_burst(1_000_000).expect("a burst");
    let done = Rc::new(Cell::new(0_u64));
    let end = Instant::now() + length;
    let set = LocalSet::new();
    for caller in 0..callers {
        let (node, done, limit) =
            (Arc::clone(&nodes[caller % nodes.len()]), Rc::clone(&done), limit.clone());
        set.spawn_local(async move {
            let mut turn = caller;
            while Instant::now() < end {
                let key = name(turn, keys);
                let key = CounterKey::new(RuleId::new(1), key.as_bytes());
                let verdict = node.charge(&[Charge::new(key, &limit, Cost::ONE)]).await;
                assert!(verdict.is_ok_and(|verdict| verdict.fallback().is_none()), "Redis decides");
                done.set(done.get() + 1);
                turn = turn.wrapping_add(7_919);
            }
        });
    }
    let start = Instant::now();
    set.await;
    done.get() as f64 / start.elapsed().as_secs_f64()
}

/// The same of the usual script, on the server that each key belongs to.
pub(super) async fn naive(
    servers: &[(Naive, Vec<String>)],
    callers: usize,
    length: Duration,
) -> f64 {
    let done = Rc::new(Cell::new(0_u64));
    let end = Instant::now() + length;
    let set = LocalSet::new();
    let names: Rc<Vec<(usize, String)>> = Rc::new(
        servers
            .iter()
            .enumerate()
            .flat_map(|(server, (_, names))| names.iter().map(move |name| (server, name.clone())))
            .collect(),
    );
    for caller in 0..callers {
        let (done, names) = (Rc::clone(&done), Rc::clone(&names));
        let mut servers: Vec<Naive> = servers.iter().map(|(server, _)| server.clone()).collect();
        set.spawn_local(async move {
            let mut turn = caller;
            while Instant::now() < end {
                let (server, name) = &names[turn % names.len()];
                let allowed = servers[*server].check(name).await;
                allowed.expect("Redis decides");
                done.set(done.get() + 1);
                turn = turn.wrapping_add(7_919);
            }
        });
    }
    let start = Instant::now();
    set.await;
    done.get() as f64 / start.elapsed().as_secs_f64()
}

/// One of so many keys.
pub(super) fn name(turn: usize, keys: usize) -> String {
    format!("user-{}", turn % keys)
}
