//! Nodes that lease, and what their callers see.

use std::{sync::Arc, time::Duration};

use tollgate_core::{
    Charge, Consistency, Cost, CounterKey, Limit, OnFailure, Policy, RuleId, Store as _,
    SystemClock, Verdict,
};
use tollgate_memory::MemoryStore;
use tollgate_redis::{Leases, Options, RedisStore, Standing};
use tollgate_testkit::wait_for;

pub(crate) type Node = Arc<RedisStore<MemoryStore<SystemClock>>>;

/// For what takes some seconds on a machine with other work.
pub(crate) const LONG: Duration = Duration::from_secs(180);

/// Longer than the default, so that a machine with other work does not look like a Redis that is slow.
const DEADLINE: Duration = Duration::from_millis(100);

/// Where nothing happens to Redis, and no policy must answer for it.
const NO_DEADLINE: Duration = Duration::from_secs(60);

fn start(urls: &[String], leases: Leases, deadline: Duration) -> Node {
    let options = Options {
        deadline,
        leases,
        naming: |values, part| part("user", values),
        ..Options::new(urls.iter().cloned())
    };
    let local = MemoryStore::new(SystemClock);
    Arc::new(RedisStore::start(options, local, Arc::new(SystemClock)).unwrap())
}

/// Nodes that know of each other, over a Redis that is well.
pub(crate) fn fleet(urls: &[String], count: u32) -> Vec<Node> {
    let nodes: Vec<Node> = (0..count).map(|_| start_on(urls)).collect();
    known(&nodes);
    nodes
}

/// Two nodes, with leases or without, that wait for the answers of Redis however long they take.
pub(crate) fn patient_pair(urls: &[String], leases: Leases) -> [Node; 2] {
    let nodes = [(); 2].map(|()| start(urls, leases, NO_DEADLINE));
    known(&nodes);
    nodes
}

/// A node with leases.
pub(crate) fn start_on(urls: &[String]) -> Node {
    start(urls, Leases::On, DEADLINE)
}

/// Waits until these know of each other, over a Redis that is well.
pub(crate) fn known(nodes: &[Node]) {
    let count = u32::try_from(nodes.len()).unwrap();
    wait_for("a fleet over a Redis that is well", LONG, || {
        let is_up = |node: &Node| {
            let health = node.health();
            let shards = health.shards.iter();
            let mut standing = shards.map(|shard| shard.standing);
            standing.all(|standing| standing == Standing::Up)
                && !health.shards.is_empty()
                && health.live_nodes == count
        };
        nodes.iter().all(is_up).then_some(())
    });
}

/// Asks once.
pub(crate) async fn ask(node: &Node, user: &str, limit: &Limit, cost: u64) -> Verdict {
    let key = CounterKey::new(RuleId::new(7), user.as_bytes());
    let charge = Charge::new(key, limit, Cost::new(cost))
        .under(Policy { consistency: Consistency::Leased, on_failure: OnFailure::Closed });
    node.charge(&[charge]).await.unwrap()
}
