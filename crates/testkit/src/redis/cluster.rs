//! Three primaries with a replica each.

use std::{ops::Range, sync::OnceLock, time::Duration};

use super::{
    migration::Migration,
    nodes::{self, NODES, Place, SHARDS},
    server::Redis,
    setup::{Program, Setup},
    topology::{self, Owner},
};
use crate::{
    deadline::{poll, wait_for},
    ports::{Port, ports},
};

/// For what takes some seconds on a machine with other work, as an election does.
const LONG: Duration = Duration::from_secs(120);

/// After 5 s a server gives up a handover that it was asked for; then it is asked again.
const HANDOVER: Duration = Duration::from_secs(6);

/// How often other ports are tried when somebody takes one of twelve between our look and our start.
const STARTS_MAX: usize = 10;

/// An unreachable node counts as failed after 5 s, so that a machine that stalls for a moment does not look
/// like a node that is gone: no replica takes over that no test has asked for. The cluster answers for the
/// shards that live.
const LINES: &str = "\
cluster-enabled yes
cluster-config-file nodes.conf
cluster-node-timeout 5000
cluster-require-full-coverage no
cluster-migration-barrier 100
";

/// A Redis or Valkey Cluster of six nodes on loopback ports. Nodes 0, 1 and 2 start as the primaries of the
/// shards 0, 1 and 2; nodes 3, 4 and 5 as their replicas. When this is dropped all of it is gone, and so it
/// is when the whole process dies.
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<Redis>,
    /// Where nodes speak to each other.
    _buses: Vec<Port>,
}

impl Cluster {
    /// A cluster of one's own, to disturb. It takes about three seconds: a primary waits two before it
    /// answers.
    ///
    /// # Panics
    ///
    /// If Redis is not installed, or not ready in time.
    pub fn start() -> Self {
        Self::with(&Setup::default())
    }

    /// The same of a program.
    ///
    /// # Panics
    ///
    /// If it is not installed, or not ready in time.
    pub fn of(program: Program) -> Self {
        Self::with(&Setup::of(program))
    }

    /// The same of servers in the clear and without a password, with more lines of settings.
    ///
    /// # Panics
    ///
    /// If they are not installed, or not ready in time.
    pub fn with(setup: &Setup) -> Self {
        let cluster = (0..STARTS_MAX).find_map(|_| Self::try_start(setup));
        let cluster = cluster.expect("twelve of many ports are free");
        cluster.settle();
        cluster
    }

    /// The cluster that the tests of this process share; the first who asks waits for its start.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        SHARED.get_or_init(Self::start)
    }

    fn try_start(setup: &Setup) -> Option<Self> {
        let mut free: Vec<Port> = ports().take(2 * NODES).collect();
        let buses = free.split_off(NODES);
        let places = free
            .iter()
            .zip(&buses)
            .map(|(port, bus)| Place { port: port.number(), bus: bus.number() });
        let places: Vec<Place> = places.collect();
        let launched: Vec<Redis> = { free.into_iter().enumerate() }
            .map(|(at, port)| {
                let lines = format!("{LINES}cluster-port {}\n", places[at].bus);
                let file = ("nodes.conf", nodes::file(setup.program(), &places, at));
                setup.launch(port, &lines, Some(file))
            })
            .collect();
        let nodes = launched.into_iter().map(Redis::once_up);
        Some(Self { nodes: nodes.collect::<Option<_>>()?, _buses: buses })
    }

    /// The places of all nodes.
    pub const fn nodes(&self) -> Range<usize> {
        0..NODES
    }

    /// The places of all shards.
    pub const fn shards(&self) -> Range<usize> {
        0..SHARDS
    }

    /// How clients write all of them.
    pub fn urls(&self) -> Vec<String> {
        self.nodes.iter().map(Redis::url).collect()
    }

    /// One node, to be asked, paused and resumed.
    pub fn node(&self, node: usize) -> &Redis {
        &self.nodes[node]
    }

    /// The node that is the primary of each shard now.
    pub fn primaries(&self) -> Vec<usize> {
        self.shards().map(|shard| self.primary(shard)).collect()
    }

    /// The node that is the primary of this shard now, as those say who can be asked.
    ///
    /// # Panics
    ///
    /// If they do not agree in time.
    pub fn primary(&self, shard: usize) -> usize {
        wait_for("the primary of a shard", LONG, || self.primary_now(shard))
    }

    /// The same, if they agree.
    fn primary_now(&self, shard: usize) -> Option<usize> {
        let owners = self.agreed()?;
        let pair = [shard, shard + SHARDS];
        pair.into_iter().find(|node| self.owner(&owners, *node).is_some())
    }

    /// The node of this shard that is not its primary now.
    pub fn replica(&self, shard: usize) -> usize {
        let primary = self.primary(shard);
        (primary + SHARDS) % NODES
    }

    /// The node that answers for this slot now.
    ///
    /// # Panics
    ///
    /// If none does, or they do not agree in time.
    pub fn node_of(&self, slot: u16) -> usize {
        wait_for("the node of a slot", LONG, || {
            let owners = self.agreed()?;
            let has = |node: &usize| self.owner(&owners, *node).is_some_and(|it| it.has(slot));
            self.nodes().find(has)
        })
    }

    /// The slot of a key, as the servers count it.
    ///
    /// # Panics
    ///
    /// If it does not answer.
    pub fn slot_of(&self, key: &[u8]) -> u16 {
        let words: [&[u8]; 3] = [b"CLUSTER", b"KEYSLOT", key];
        let slot = self.awake().next().expect("a node").command(&words);
        slot.parse().expect("a slot is a number")
    }

    /// Makes the replica of a shard its primary without a loss, and waits until all agree and the old primary
    /// follows. Says who it is.
    ///
    /// # Panics
    ///
    /// If that does not happen in time.
    pub fn failover(&self, shard: usize) -> usize {
        let next = self.replica(shard);
        wait_for("the new primary", LONG, || {
            // An error when it is the primary already.
            self.nodes[next].ask(&["CLUSTER", "FAILOVER"]);
            poll(HANDOVER, || (self.primary_now(shard) == Some(next)).then_some(()))
        });
        self.settle();
        next
    }

    /// Begins to move a slot to another shard; the steps are the test's.
    pub fn migration(&self, slot: u16, to: usize) -> Migration<'_> {
        Migration::begin(self, slot, to)
    }

    /// Moves a slot to another shard with all its keys.
    pub fn move_slot(&self, slot: u16, to: usize) {
        let migration = self.migration(slot, to);
        migration.move_keys();
        migration.end();
    }

    /// From now on an unreachable node counts as failed after 1 s: for tests that take one away and wait for
    /// its replica.
    pub fn notice_losses(&self) {
        for node in self.awake() {
            node.command(&["CONFIG", "SET", "cluster-node-timeout", "1000"]);
        }
    }

    /// Kills a node, which the others [notice](Self::notice_losses) at once.
    ///
    /// # Panics
    ///
    /// If it is killed already.
    pub fn kill(&mut self, node: usize) {
        self.notice_losses();
        self.nodes[node].kill();
    }

    /// Starts a node again after a kill. It knows the others from before; its data are its replica's, or lost.
    ///
    /// # Panics
    ///
    /// If it runs, or is not ready in time.
    pub fn start_again(&mut self, node: usize) {
        self.nodes[node].start_again();
        self.notice_losses();
    }

    /// Waits until all nodes that can be asked agree, and all that follow somebody have what he has.
    ///
    /// # Panics
    ///
    /// If that does not happen in time.
    pub fn settle(&self) {
        wait_for("a cluster that is whole", LONG, || {
            self.agreed()?;
            self.awake().all(is_in_order).then_some(())
        });
    }

    /// What all who can be asked think; `None` while they do not think the same.
    fn agreed(&self) -> Option<Vec<Owner>> {
        let mut views = self.awake().map(topology::of);
        let first = views.next()?;
        views.all(|view| view == first).then_some(first)
    }

    fn owner<'a>(&self, owners: &'a [Owner], node: usize) -> Option<&'a Owner> {
        let port = self.nodes[node].address().port();
        owners.iter().find(|owner| owner.port == port)
    }

    fn awake(&self) -> impl Iterator<Item = &Redis> {
        self.nodes.iter().filter(|node| node.is_awake())
    }
}

fn is_in_order(node: &Redis) -> bool {
    let state = node.command(&["CLUSTER", "INFO"]);
    let follows = node.command(&["INFO", "replication"]);
    state.contains("cluster_state:ok")
        && (follows.contains("role:master") || follows.contains("master_link_status:up"))
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // All at once: each waits for the end of its own server.
        for node in &mut self.nodes {
            node.watcher.release();
        }
    }
}
