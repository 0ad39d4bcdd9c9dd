//! Throughput.

use std::time::Duration;

use tollgate_redis::Leases;
use tollgate_testkit::redis::Cluster;

use super::{
    load,
    naive::{self, Naive},
    place::{block_on, cluster, single},
};
use crate::depth::Depth;

/// What Redis is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Single,
    Cluster,
}

impl Layout {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Single => "one server",
            Self::Cluster => "cluster of 3",
        }
    }
}

/// Decisions per second under one load, by each.
#[derive(Clone, Debug)]
pub(crate) struct Contest {
    pub(crate) layout: Layout,
    pub(crate) keys: usize,
    pub(crate) callers: usize,
    pub(crate) one_node: f64,
    pub(crate) two_nodes: f64,
    pub(crate) naive: f64,
    /// What redis-benchmark gets out of the usual script; of one server only.
    pub(crate) ceiling: Option<f64>,
    /// Decisions that travelled in one call of one node.
    pub(crate) together: f64,
}

const KEYS: [usize; 2] = [1, 100_000];
const CALLERS: [usize; 2] = [64, 512];
/// Nobody is to be answered by a policy here.
const PATIENT: Duration = Duration::from_secs(5);

pub(super) fn run(depth: Depth) -> anyhow::Result<(String, Vec<Contest>)> {
    let (rounds, length) =
        depth.pick((1, Duration::from_millis(200)), (5, Duration::from_millis(1_500)));
    let single = single();
    let version = single.info("redis_version");
    let mut contests = Vec::new();
    for (keys, callers) in loads() {
        let names: Vec<String> = (0..keys).map(|turn| load::name(turn, keys)).collect();
        let servers = [(single.url(), names)];
        eprintln!("redis: one server, {keys} keys, {callers} callers");
        let mut contest = duel(&[single.url()], &servers, keys, callers, (rounds, length))?;
        contest.ceiling = Some(naive::ceiling(&single, keys, callers, depth)?);
        contests.push(contest);
    }
    drop(single);
    let cluster = cluster();
    for (keys, callers) in loads() {
        eprintln!("redis: cluster, {keys} keys, {callers} callers");
        let servers = spread(&cluster, keys);
        let mut contest = duel(&cluster.urls(), &servers, keys, callers, (rounds, length))?;
        contest.layout = Layout::Cluster;
        contests.push(contest);
    }
    Ok((version, contests))
}

/// As many keys on each primary as on the others, by one tag each.
fn spread(cluster: &Cluster, keys: usize) -> Vec<(String, Vec<String>)> {
    let primaries = cluster.primaries();
    let shards = primaries.len().min(keys);
    let shard = |(place, primary): (usize, usize)| {
        let mut tags = (0..).map(|turn| format!("tag-{turn}"));
        let owns = |tag: &String| cluster.node_of(cluster.slot_of(tag.as_bytes())) == primary;
        let tag = tags.find(owns).unwrap_or_default();
        let own = (0..keys).filter(|turn| turn % shards == place);
        let names = own.map(|turn| format!("{{{tag}}}{}", load::name(turn, keys)));
        (cluster.node(primary).url(), names.collect())
    };
    primaries.into_iter().take(shards).enumerate().map(shard).collect()
}

fn loads() -> impl Iterator<Item = (usize, usize)> {
    KEYS.into_iter().flat_map(|keys| CALLERS.map(|callers| (keys, callers)))
}

/// Interleaved rounds, and the median of each.
fn duel(
    urls: &[String],
    servers: &[(String, Vec<String>)],
    keys: usize,
    callers: usize,
    (rounds, length): (usize, Duration),
) -> anyhow::Result<Contest> {
    block_on(async {
        let nodes = [
            load::node(urls, PATIENT, Leases::Off).await?,
            load::node(urls, PATIENT, Leases::Off).await?,
        ];
        let mut peers = Vec::new();
        for (url, names) in servers {
            peers.push((Naive::open(url).await?, names.clone()));
        }
        let mut found: [Vec<f64>; 3] = Default::default();
        let mut together = 0.0;
        for _ in 0..rounds {
            let before = nodes[0].stats();
            found[0].push(load::ours(&nodes[..1], callers, keys, length).await);
            let after = nodes[0].stats();
            let calls = (after.calls - before.calls).max(1);
            together = (after.decisions - before.decisions) as f64 / calls as f64;
            found[1].push(load::ours(&nodes, callers, keys, length).await);
            found[2].push(load::naive(&peers, callers, length).await);
        }
        let [one_node, two_nodes, naive] = found.map(median);
        Ok(Contest {
            layout: Layout::Single,
            keys,
            callers,
            one_node,
            two_nodes,
            naive,
            ceiling: None,
            together,
        })
    })
}

pub(super) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
