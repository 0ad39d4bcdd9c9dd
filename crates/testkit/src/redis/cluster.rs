//! Three primaries with a replica each.

use std::{ops::Range, sync::OnceLock, time::Duration};

use super::{
    migration::Migration,
    nodes::{self, NODES, Place, SHARDS},
    server::Redis,
    setup::{Program, Setup},
    topology::{self, Line},
};
use crate::{deadline::wait_for, ports::ports};

/// For what takes some seconds on a machine with other work, as an election does.
const LONG: Duration = Duration::from_secs(60);

/// How often other ports are tried when somebody takes one of twelve between our look and our start.
const STARTS_MAX: usize = 10;

/// An unreachable node counts as failed after 1 s. The cluster answers for the shards that live.
const LINES: &str = "\
cluster-enabled yes
cluster-config-file nodes.conf
cluster-node-timeout 1000
cluster-require-full-coverage no
cluster-migration-barrier 100
";

/// A Redis or Valkey Cluster of six nodes on loopback ports. Nodes 0, 1 and 2 start as the primaries of the
/// shards 0, 1 and 2; nodes 3, 4 and 5 as their replicas. When this is dropped all of it is gone, and so it
/// is when the whole process dies.
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<Redis>,
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
        let free: Vec<u16> = ports().take(2 * NODES).collect();
        let places = free.chunks_exact(2).map(|pair| Place {
            port: pair[0],
            bus: pair[1],
        });
        let places: Vec<Place> = places.collect();
        let launched: Vec<Redis> = (0..NODES)
            .map(|at| {
                let lines = format!("{LINES}cluster-port {}\n", places[at].bus);
                let file = ("nodes.conf", nodes::file(&places, at));
                setup.launch(places[at].port, &lines, Some(file))
            })
            .collect();
        let nodes = launched.into_iter().map(Redis::once_up);
        Some(Self {
            nodes: nodes.collect::<Option<_>>()?,
        })
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
        wait_for("the primary of a shard", LONG, || {
            let lines = self.agreed()?;
            let is_primary =
                |node: &usize| self.line(&lines, *node).is_some_and(|its| its.is_primary);
            let (one, other) = (shard, shard + SHARDS);
            match (is_primary(&one), is_primary(&other)) {
                // A primary that died is one until somebody tells it otherwise, but it has no slots.
                (true, true) => [one, other]
                    .into_iter()
                    .find(|node| self.line(&lines, *node).is_some_and(Line::has_slots)),
                (true, false) => Some(one),
                (false, true) => Some(other),
                (false, false) => None,
            }
        })
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
            let lines = self.agreed()?;
            let is_it = |node: &usize| self.line(&lines, *node).is_some_and(|its| its.has(slot));
            self.nodes().find(is_it)
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
        self.nodes[next].command(&["CLUSTER", "FAILOVER"]);
        wait_for("the new primary", LONG, || {
            (self.primary(shard) == next).then_some(())
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

    /// Kills a node.
    ///
    /// # Panics
    ///
    /// If it is killed already.
    pub fn kill(&mut self, node: usize) {
        self.nodes[node].kill();
    }

    /// Starts a node again after a kill. It knows the others from before; its data are its replica's, or lost.
    ///
    /// # Panics
    ///
    /// If it runs, or is not ready in time.
    pub fn start_again(&mut self, node: usize) {
        self.nodes[node].start_again();
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
    pub(super) fn agreed(&self) -> Option<Vec<Line>> {
        let mut views = self.awake().map(topology::of);
        let first = views.next()?;
        views.all(|view| view == first).then_some(first)
    }

    pub(super) fn line<'a>(&self, lines: &'a [Line], node: usize) -> Option<&'a Line> {
        let port = self.nodes[node].address().port();
        lines.iter().find(|line| line.port == port)
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
