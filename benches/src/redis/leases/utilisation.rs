//! How much of a limit is used when several nodes want more of it than there is.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tollgate::{AlgorithmName, Charge, Cost, CounterKey, Limit, RuleId, Store as _};
use tollgate_redis::Leases;
use tollgate_testkit::redis::Redis;

use super::super::{
    load::{self, Node},
    place::block_on,
};
use crate::depth::Depth;

/// What so many nodes got of a limit together.
#[derive(Clone, Debug)]
pub(crate) struct Utilisation {
    pub(crate) algorithm: &'static str,
    pub(crate) holders: usize,
    /// Admitted, of all that was allowed; above 1 is a defect.
    pub(crate) part: f64,
}

const HOLDERS: [usize; 3] = [1, 3, 10];
/// How many times the limit is asked for.
const DEMAND: u64 = 3;
const RATE: u64 = 5_000;
const WINDOW: Duration = Duration::from_secs(5);
const TICK: Duration = Duration::from_millis(1);
const PATIENT: Duration = Duration::from_secs(5);

pub(super) fn run(server: &Redis, depth: Depth) -> anyhow::Result<Vec<Utilisation>> {
    let windows = depth.pick(1, 3);
    let mut found = Vec::new();
    for holders in HOLDERS {
        let window: Limit = format!("{}/5s", RATE * WINDOW.as_secs()).parse()?;
        let window = window.with_algorithm(AlgorithmName::FixedWindow)?;
        found.push(Utilisation {
            algorithm: "fixed window",
            holders,
            part: block_on(in_windows(server, holders, &window, windows))?,
        });
        let bucket: Limit = format!("{RATE}/s").parse()?;
        let bucket = bucket.with_burst(RATE)?;
        found.push(Utilisation {
            algorithm: "token bucket",
            holders,
            part: block_on(in_bucket(server, holders, &bucket, windows))?,
        });
    }
    Ok(found)
}

async fn nodes(server: &Redis, holders: usize) -> anyhow::Result<Vec<Node>> {
    let mut nodes = Vec::new();
    for _ in 0..holders {
        nodes.push(load::node(&[server.url()], PATIENT, Leases::On).await?);
    }
    Ok(nodes)
}

/// Over whole windows.
async fn in_windows(
    server: &Redis,
    holders: usize,
    limit: &Limit,
    windows: u32,
) -> anyhow::Result<f64> {
    let nodes = nodes(server, holders).await?;
    let name = format!("window-{holders}");
    let since = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let into = Duration::from_nanos((since.as_nanos() % WINDOW.as_nanos()) as u64);
    // What is asked for before the window begins only makes the key warm.
    saturate(&nodes, &name, limit, WINDOW - into).await;
    let admitted = saturate(&nodes, &name, limit, WINDOW * windows).await;
    let allowed = RATE as f64 * WINDOW.as_secs_f64() * f64::from(windows);
    Ok(admitted as f64 / allowed)
}

/// Once the burst is gone.
async fn in_bucket(
    server: &Redis,
    holders: usize,
    limit: &Limit,
    windows: u32,
) -> anyhow::Result<f64> {
    let nodes = nodes(server, holders).await?;
    let name = format!("bucket-{holders}");
    saturate(&nodes, &name, limit, Duration::from_secs(3)).await;
    let length = WINDOW * windows;
    let start = Instant::now();
    let admitted = saturate(&nodes, &name, limit, length).await;
    Ok(admitted as f64 / (RATE as f64 * start.elapsed().as_secs_f64()))
}

/// Asks for several times of the limit, all nodes alike; says how much was admitted.
async fn saturate(nodes: &[Node], name: &str, limit: &Limit, length: Duration) -> u64 {
    let start = Instant::now();
    let (mut asked, mut admitted) = (0_u64, 0_u64);
    while start.elapsed() < length {
        let due = (start.elapsed().as_secs_f64() * (RATE * DEMAND) as f64) as u64;
        while asked < due {
            let node = &nodes[asked as usize % nodes.len()];
            asked += 1;
            let key = CounterKey::new(RuleId::new(1), name.as_bytes());
            let verdict = node.charge(&[Charge::new(key, limit, Cost::ONE)]).await;
            admitted += u64::from(verdict.is_ok_and(|verdict| verdict.is_allowed()));
        }
        tokio::time::sleep(TICK).await;
    }
    admitted
}
