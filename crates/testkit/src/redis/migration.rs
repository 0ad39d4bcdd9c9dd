//! A slot that moves from one shard to another, step by step.

use super::{cluster::Cluster, server::Redis};

/// How many keys move at once.
const KEYS_AT_ONCE: &str = "100";
const MOVE_MAX_MILLIS: &str = "30000";

/// A slot on its way. While it is, the source answers for the keys it has and says `ASK` for all others.
#[derive(Debug)]
#[must_use = "a slot that has begun to move is to arrive"]
pub struct Migration<'a> {
    cluster: &'a Cluster,
    slot: u16,
    from: usize,
    to: usize,
}

impl<'a> Migration<'a> {
    pub(super) fn begin(cluster: &'a Cluster, slot: u16, shard: usize) -> Self {
        let migration =
            Self { cluster, slot, from: cluster.node_of(slot), to: cluster.primary(shard) };
        assert_ne!(migration.from, migration.to, "slot {slot} is there already");
        let (from, to) = (migration.source(), migration.target());
        // The target first: nobody is sent there before it knows.
        migration.set(to, "IMPORTING", &id(from));
        migration.set(from, "MIGRATING", &id(to));
        migration
    }

    /// Who has the slot until the end.
    pub fn source(&self) -> &'a Redis {
        self.cluster.node(self.from)
    }

    /// Who will have it.
    pub fn target(&self) -> &'a Redis {
        self.cluster.node(self.to)
    }

    /// Moves all keys that are in the slot now, and says how many there were.
    ///
    /// # Panics
    ///
    /// If one does not move.
    pub fn move_keys(&self) -> usize {
        let slot = self.slot.to_string();
        let mut count = 0;
        loop {
            let words = ["CLUSTER", "GETKEYSINSLOT", &slot, KEYS_AT_ONCE];
            let keys = self.source().ask(&words).list();
            if keys.is_empty() {
                return count;
            }
            count += keys.len();
            self.move_these(keys.into_iter().map(|key| key.bytes()));
        }
    }

    /// Tells all that the slot has arrived.
    ///
    /// # Panics
    ///
    /// If keys are left behind.
    pub fn end(self) {
        self.move_keys();
        let target = id(self.target());
        // The target first: were it the source, the slot would be nobody's for a moment.
        self.set(self.target(), "NODE", &target);
        self.set(self.source(), "NODE", &target);
        self.cluster.settle();
    }

    fn move_these(&self, keys: impl Iterator<Item = Vec<u8>>) {
        let port = self.target().address().port().to_string();
        let words = ["MIGRATE", "127.0.0.1", &port, "", "0", MOVE_MAX_MILLIS, "KEYS"];
        let words = words.iter().map(|word| word.as_bytes().to_vec());
        let words: Vec<Vec<u8>> = words.chain(keys).collect();
        self.source().command(&words);
    }

    fn set(&self, node: &Redis, what: &str, other: &str) {
        node.command(&["CLUSTER", "SETSLOT", &self.slot.to_string(), what, other]);
    }
}

fn id(node: &Redis) -> String {
    node.command(&["CLUSTER", "MYID"])
}
