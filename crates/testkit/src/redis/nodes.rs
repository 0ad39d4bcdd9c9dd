//! The file by which a node knows the others before they have met: a cluster is whole as soon as its nodes
//! run, without a word of `CLUSTER MEET`.

use std::fmt::Write as _;

use super::Program;

/// Primaries, each with one replica.
pub(super) const SHARDS: usize = 3;
/// A node has the place of its shard; its replica comes so many later.
pub(super) const NODES: usize = 2 * SHARDS;
const SLOTS: usize = 16_384;

/// Where a node is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) port: u16,
    /// Where nodes speak to each other.
    pub(super) bus: u16,
}

impl Place {
    /// What the nodes call it; its port makes it one of a kind on this machine.
    fn id(self) -> String {
        format!("{:08x}", self.port).repeat(5)
    }
}

/// The file for the node at `me`.
pub(super) fn file(program: Program, places: &[Place], me: usize) -> String {
    let mut text = String::new();
    for (at, place) in places.iter().enumerate() {
        let myself = if at == me { "myself," } else { "" };
        let shard = at % SHARDS;
        let epoch = shard + 1;
        let (id, port, bus) = (place.id(), place.port, place.bus);
        let group = match program {
            // Redis 7.0 does not know the field.
            Program::Redis => String::new(),
            // Each Valkey would make one up until the nodes have met, and one that is killed before does not read
            // what it wrote: a replica in another shard than its primary.
            Program::Valkey => format!(",,shard-id={}", places[shard].id()),
        };
        let start = format!("{id} 127.0.0.1:{port}@{bus}{group} {myself}");
        let rest = if at < SHARDS {
            let (from, to) = range(shard);
            format!("master - 0 0 {epoch} connected {from}-{to}")
        } else {
            format!("slave {} 0 0 {epoch} connected", places[shard].id())
        };
        writeln!(text, "{start}{rest}").expect("a text takes more");
    }
    text + &format!("vars currentEpoch {SHARDS} lastVoteEpoch 0\n")
}

/// The first and the last slot of a shard.
fn range(shard: usize) -> (usize, usize) {
    (shard * SLOTS / SHARDS, (shard + 1) * SLOTS / SHARDS - 1)
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn every_slot_has_a_shard() {
        assert_eq!([range(0), range(1), range(2)], [(0, 5460), (5461, 10921), (10922, 16383)]);
    }
}
