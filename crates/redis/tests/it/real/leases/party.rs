//! Callers of everything at every node, who never rest.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::task::JoinSet;
use tollgate_core::{Action, Consistency, Store as _};
use tollgate_testkit::{Rng, redis::Cluster, wait_for};

use super::{
    fleet::{LONG, Node},
    ledger::now,
    world::{Counter, World},
};

/// Callers at each node.
const CALLERS: usize = 4;
/// Requests of a leased key in a row.
const ROW: u64 = 12;
/// Admissions of every hot key that show that something goes on.
const SOME: u64 = 100;
/// Denials by Redis, or by what it said, that show that nothing is left: where others may hold some, and elsewhere.
const MANY: u64 = 300;
const FEW: u64 = 20;

/// Nodes, what they are asked for, and who asks.
pub(crate) struct Party {
    pub(crate) world: Arc<World>,
    nodes: Vec<Node>,
    is_over: Arc<AtomicBool>,
    callers: JoinSet<()>,
}

impl Party {
    pub(crate) fn start(cluster: &Cluster, nodes: Vec<Node>) -> Self {
        let world = Arc::new(World::of(cluster, nodes.len()));
        let is_over = Arc::new(AtomicBool::new(false));
        let mut callers = JoinSet::new();
        for at in 0..nodes.len() * CALLERS {
            let place = at % nodes.len();
            let caller = Caller {
                world: Arc::clone(&world),
                node: Arc::clone(&nodes[place]),
                place,
                rng: Rng::new(u64::try_from(at).unwrap()),
            };
            let is_over = Arc::clone(&is_over);
            callers.spawn(async move { caller.run(&is_over).await });
        }
        Self { world, nodes, is_over, callers }
    }

    fn hot(&self) -> impl Iterator<Item = &Counter> {
        self.world.hot.iter().flatten()
    }

    /// Waits until some more were admitted of everything that does not come to an end.
    pub(crate) fn until_some(&self) {
        let lasting = || self.hot().filter(|counter| !counter.is_finite());
        let before: Vec<u64> = lasting().map(Counter::admitted).collect();
        wait_for("some of everything", LONG, || {
            let mut both = lasting().zip(&before);
            both.all(|(counter, before)| counter.admitted() >= before + SOME).then_some(())
        });
    }

    /// Waits until nothing is left of what comes to an end.
    pub(crate) fn until_spent(&self) {
        let denied = |counter: &Counter| counter.denied.load(Relaxed);
        let finite = || self.hot().filter(|counter| counter.is_finite());
        let before: Vec<u64> = finite().map(denied).collect();
        wait_for("limits that are used up", LONG, || {
            // A wait in vain says less.
            finite().for_each(Counter::is_within);
            let mut both = finite().zip(&before);
            both.all(|(counter, before)| {
                let more = if counter.is_leased() { MANY } else { FEW };
                denied(counter) >= before + more
            })
            .then_some(())
        });
    }

    /// Sends all home. Nobody was let in beyond the law, Redis knows of everybody, and nodes have spent from memory.
    pub(crate) async fn end(mut self) -> Arc<World> {
        self.is_over.store(true, Relaxed);
        while let Some(ended) = self.callers.join_next().await {
            ended.unwrap();
        }
        self.print();
        for node in &self.nodes {
            let unsettled = node.settle(LONG).await;
            assert_eq!(unsettled, 0, "counters that are left unsettled");
        }
        for counter in self.world.all() {
            let (name, admitted) = (counter.name(), counter.admitted());
            assert_eq!(counter.overshoot(), 0, "{name}: {admitted}");
            if counter.is_finite() && counter.consistency != Consistency::Local {
                let used = used(&self.nodes[0], counter).await;
                assert!(used >= admitted, "{name}: {used} of {admitted} are known");
            }
        }
        for node in &self.nodes {
            let leases = node.stats().leases;
            assert!(leases.spent > 0 && leases.overshoot == 0, "{leases:?}");
        }
        self.world
    }

    fn print(&self) {
        for counter in self.hot() {
            let counts = [&counter.denied, &counter.by_policy].map(|count| count.load(Relaxed));
            let (name, admitted) = (counter.name(), counter.admitted());
            println!("{name}: {admitted} admitted, denied and by policy {counts:?}");
            if counter.is_leased() && counter.is_finite() {
                println!("    {} %", admitted * 100 / counter.limit.amount());
            }
        }
        for node in &self.nodes {
            println!("{:?}", node.stats());
        }
    }
}

/// What Redis says is used, once it is asked.
async fn used(node: &Node, counter: &Counter) -> u64 {
    let peeking = async {
        loop {
            let peeked = node.inspect(Action::Peek, &[counter.charge(0)]).await;
            let peeked = peeked.unwrap();
            if peeked.fallback().is_none() {
                return counter.limit.capacity() - peeked.binding().remaining();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let used = tokio::time::timeout(LONG, peeking).await;
    used.unwrap_or_else(|_| panic!("Redis does not say what is left of {}", counter.name()))
}

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
