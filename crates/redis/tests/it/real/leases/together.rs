//! Nodes over a Cluster of three shards: every algorithm and every mode at once, hot and cold keys, several limits in a
//! request, and something that happens in the middle.

use tollgate_redis::Standing;
use tollgate_testkit::{redis::Cluster, wait_for};

use super::{
    fleet::{LONG, Node, fleet, known, start_on},
    party::Party,
};

/// Waits until these have heard who answers for a shard, and may ask it.
fn until_known(nodes: &[Node], cluster: &Cluster, primary: usize) {
    let name = cluster.node(primary).address().to_string();
    wait_for("nodes that ask the new primary", LONG, || {
        let asks = |node: &Node| {
            let shards = node.health().shards;
            let mut ours = shards.iter().filter(|shard| shard.name == name);
            ours.any(|shard| shard.standing == Standing::Up)
        };
        nodes.iter().all(asks).then_some(())
    });
}

// Proves: C2, C3, C7
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn everything_at_once_is_within_every_limit_though_a_shard_fails_over() {
    let cluster = Cluster::start();
    let party = Party::start(&cluster, fleet(&cluster.urls(), 5));
    party.until_some();
    cluster.failover(0);
    party.until_spent();
    let world = party.end().await;
    // What was leased of the shard that failed over was void, and is lost to everybody.
    for counter in world.hot[1..].iter().flatten() {
        if counter.is_leased() && counter.is_finite() {
            let (admitted, most) = (counter.admitted(), counter.limit.amount());
            let name = counter.name();
            assert!(admitted * 10 >= most * 9, "{name}: {admitted} of {most}");
        }
    }
}

// Proves: C3, C7
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_shard_fails_over_in_turn_and_no_slice_is_spent_twice() {
    let cluster = Cluster::start();
    let nodes = fleet(&cluster.urls(), 2);
    let party = Party::start(&cluster, nodes.clone());
    for shard in cluster.shards() {
        party.until_some();
        let primary = cluster.failover(shard);
        until_known(&nodes, &cluster, primary);
    }
    party.until_some();
    party.end().await;
}

// Proves: C3, C7
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_primary_that_hangs_until_another_took_over_grants_nothing_when_it_goes_on() {
    let cluster = Cluster::start();
    let nodes = fleet(&cluster.urls(), 2);
    let party = Party::start(&cluster, nodes.clone());
    party.until_some();
    let (primary, replica) = (cluster.primary(1), cluster.replica(1));
    // What it grants now its replica does not hear of.
    let old = cluster.node(primary);
    old.command(&["ACL", "SETUSER", "default", "-psync", "-sync"]);
    assert_eq!(old.command(&["CLIENT", "KILL", "TYPE", "replica"]), "1");
    party.until_some();
    cluster.notice_losses();
    old.pause();
    until_known(&nodes, &cluster, replica);
    old.resume();
    party.until_some();
    party.end().await;
}

// Proves: C3, C6
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_node_that_is_cut_off_from_the_whole_cluster_and_returns_takes_no_more_than_its_slices() {
    let cluster = Cluster::start();
    let every = |words: &[&str]| {
        for node in cluster.nodes() {
            cluster.node(node).command(words);
        }
    };
    // Whoever may not enter is as far away as whoever finds no way.
    every(&["ACL", "SETUSER", "minor", "on", ">secret", "~*", "&*", "+@all"]);
    let urls = cluster.urls().into_iter();
    let urls = urls.map(|url| url.replace("redis://", "redis://minor:secret@"));
    let minor = start_on(&urls.collect::<Vec<_>>());
    let mut nodes: Vec<Node> = [(), ()].map(|()| start_on(&cluster.urls())).into();
    nodes.push(minor.clone());
    known(&nodes);
    let party = Party::start(&cluster, nodes.clone());
    for _ in 0..2 {
        party.until_some();
        every(&["ACL", "SETUSER", "minor", "off"]);
        every(&["CLIENT", "KILL", "USER", "minor"]);
        wait_for("a node that reaches nobody", LONG, || {
            let shards = minor.health().shards;
            let mut standing = shards.iter().map(|shard| shard.standing);
            standing.all(|it| it == Standing::Down).then_some(())
        });
        party.until_some();
        every(&["ACL", "SETUSER", "minor", "on"]);
        known(&nodes);
    }
    party.until_spent();
    party.end().await;
}
