//! Five nodes over a Cluster of three shards: every algorithm and every mode at once, hot and cold keys, several limits in
//! a request, and a shard that fails over in the middle.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::task::JoinSet;
use tollgate_core::{Action, Store as _};
use tollgate_testkit::{Rng, redis::Cluster, wait_for};

use crate::{
    fleet::{LONG, Node, fleet},
    ledger::now,
    world::{Counter, World},
};

const NODES: usize = 5;
/// Callers at each node.
const CALLERS: usize = 4;
/// Requests of a leased key in a row.
const ROW: u64 = 12;
/// Admissions of every hot key before the shard fails over.
const SOME: u64 = 100;
/// Denials by Redis, or by what it said, show that there is nothing left.
const MANY: u64 = 300;
/// How often Redis is asked what is left, by somebody who takes no other word for it.
const PEEKS_MAX: usize = 500;

/// One caller.
struct Caller {
    world: Arc<World>,
    node: Node,
    place: usize,
    rng: Rng,
}

impl Caller {
    async fn run(mut self, is_over: &AtomicBool) {
        let world = Arc::clone(&self.world);
        while !is_over.load(Relaxed) {
            let shard = self.rng.index(world.hot.len());
            let hot = &world.hot[shard];
            match self.rng.below(10) {
                0 | 1 => {
                    let cold = &world.cold[self.rng.index(world.cold.len())];
                    self.ask(&[cold]).await;
                }
                // In one slot: leased and exact.
                2 => self.ask(&[&hot[0], &hot[5]]).await,
                // In three shards: leased ones, a log and a local one.
                3 => {
                    let [next, last] = [1, 2].map(|far| &world.hot[(shard + far) % 3]);
                    self.ask(&[&hot[1], &next[3], &last[6], &next[9]]).await;
                }
                4 => self.ask(&[&hot[2], &hot[3]]).await,
                _ => {
                    let counter = &hot[self.rng.index(hot.len())];
                    let row = if counter.is_leased() { ROW } else { 1 };
                    for _ in 0..row {
                        self.ask(&[counter]).await;
                    }
                }
            }
            tokio::task::yield_now().await;
        }
    }

    async fn ask(&mut self, counters: &[&Counter]) {
        let cost = match self.rng.below(8) {
            0 => 1 + self.rng.below(4),
            _ => 1,
        };
        let charges: Vec<_> = counters.iter().map(|one| one.charge(cost)).collect();
        let sent = now();
        let verdict = self.node.charge(&charges).await.unwrap();
        for counter in counters {
            counter.note(self.place, sent, cost, &verdict);
        }
    }
}

/// What Redis says is used, once it is asked.
async fn used(node: &Node, counter: &Counter) -> u64 {
    for _ in 0..PEEKS_MAX {
        let peeked = node.inspect(Action::Peek, &[counter.charge(0)]).await;
        let peeked = peeked.unwrap();
        if peeked.fallback().is_none() {
            return counter.limit.capacity() - peeked.binding().remaining();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("Redis does not say what is left of {}", counter.name())
}

/// Nobody was let in beyond the law, and Redis knows of everybody.
async fn is_lawful(world: &World, node: &Node) {
    for counter in world.all() {
        let (name, admitted) = (counter.name(), counter.admitted());
        assert_eq!(counter.overshoot(), 0, "{name}: {admitted}");
        if counter.is_finite() && counter.consistency != tollgate_core::Consistency::Local {
            let used = used(node, counter).await;
            assert!(used >= admitted, "{name}: {used} of {admitted} are known");
        }
    }
}

fn print(world: &World, nodes: &[Node]) {
    for counter in world.hot.iter().flatten() {
        let [denied, by_policy] =
            [&counter.denied, &counter.by_policy].map(|count| count.load(Relaxed));
        let (name, admitted) = (counter.name(), counter.admitted());
        println!("{name}: {admitted} admitted, {denied} denied, {by_policy} by policy");
        if counter.is_leased() && counter.is_finite() {
            println!("    {} %", admitted * 100 / counter.limit.amount());
        }
    }
    for node in nodes {
        let stats = node.stats();
        println!(
            "calls {} late {} {:?}",
            stats.calls, stats.late, stats.leases
        );
    }
}

// Proves: C2, C3, C7
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn everything_at_once_is_within_every_limit_though_a_shard_fails_over() {
    let cluster = Cluster::start();
    let nodes = fleet(&cluster.urls(), 5);
    let world = Arc::new(World::of(&cluster, NODES));
    let is_over = Arc::new(AtomicBool::new(false));
    let mut callers = JoinSet::new();
    for place in 0..NODES * CALLERS {
        let caller = Caller {
            world: Arc::clone(&world),
            node: Arc::clone(&nodes[place % NODES]),
            place: place % NODES,
            rng: Rng::new(u64::try_from(place).unwrap()),
        };
        let is_over = Arc::clone(&is_over);
        callers.spawn(async move { caller.run(&is_over).await });
    }
    let hot = || world.hot.iter().flatten();
    wait_for("some of everything", LONG, || {
        hot()
            .all(|counter| counter.admitted() >= SOME)
            .then_some(())
    });
    cluster.failover(0);
    let denied = |counter: &Counter| counter.denied.load(Relaxed);
    let before: Vec<u64> = hot().map(denied).collect();
    wait_for("limits that are used up", LONG, || {
        // A wait in vain says less.
        hot().for_each(Counter::is_within);
        let mut spent = hot()
            .zip(&before)
            .filter(|(counter, _)| counter.is_finite());
        spent
            .all(|(counter, before)| denied(counter) > before + MANY)
            .then_some(())
    });
    is_over.store(true, Relaxed);
    while let Some(ended) = callers.join_next().await {
        ended.unwrap();
    }
    print(&world, &nodes);
    for node in &nodes {
        assert_eq!(
            node.settle(LONG).await,
            0,
            "counters that are left unsettled"
        );
    }
    is_lawful(&world, &nodes[0]).await;
    for node in &nodes {
        let leases = node.stats().leases;
        assert!(leases.spent > 0 && leases.overshoot == 0, "{leases:?}");
    }
    // What was leased of the shard that failed over was void, and is lost to everybody.
    for counter in world.hot[1..].iter().flatten() {
        if counter.is_leased() && counter.is_finite() {
            let (admitted, most) = (counter.admitted(), counter.limit.amount());
            assert!(
                admitted * 10 >= most * 9,
                "{}: {admitted} of {most}",
                counter.name()
            );
        }
    }
}
