//! How long a decision takes while Redis does not answer.

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use tollgate::{Charge, Cost, CounterKey, Limit, RuleId, Store as _};
use tollgate_redis::Leases;

use super::{
    load,
    place::{block_on, single},
};
use crate::depth::Depth;

/// Times in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hung {
    pub(crate) deadline_ms: f64,
    /// From the moment it hangs until nobody waits for it any more.
    pub(crate) waiting_p99_ms: f64,
    /// From then on.
    pub(crate) open_p99_ms: f64,
    pub(crate) healthy_p99_ms: f64,
}

const DEADLINE: Duration = Duration::from_millis(5);

pub(super) fn run(depth: Depth) -> anyhow::Result<Hung> {
    let rounds = depth.pick(1, 10);
    let server = single();
    block_on(async {
        let node = load::node(&[server.url()], DEADLINE, Leases::Off).await?;
        let limit: Limit = "1000000/s".parse()?;
        let [mut healthy, mut waiting, mut open] =
            [(); 3].map(|()| Histogram::<u64>::new(3).expect("a histogram"));
        for _ in 0..rounds {
            measure(&node, &limit, &mut healthy, 2_000).await;
            server.pause();
            // The breaker opens after some deadlines.
            measure(&node, &limit, &mut waiting, 12).await;
            measure(&node, &limit, &mut open, 2_000).await;
            server.resume();
            while measure_one(&node, &limit).await.1 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            tokio::time::sleep(Duration::from_millis(1_500)).await;
        }
        let p99 = |times: &Histogram<u64>| times.value_at_quantile(0.99) as f64 / 1e6;
        Ok(Hung {
            deadline_ms: DEADLINE.as_secs_f64() * 1e3,
            waiting_p99_ms: p99(&waiting),
            open_p99_ms: p99(&open),
            healthy_p99_ms: p99(&healthy),
        })
    })
}

async fn measure(node: &load::Node, limit: &Limit, times: &mut Histogram<u64>, decisions: usize) {
    for _ in 0..decisions {
        let (took, _) = measure_one(node, limit).await;
        times.record(took).expect("within range");
        tokio::task::yield_now().await;
    }
}

/// Nanoseconds, and whether a policy has answered.
async fn measure_one(node: &load::Node, limit: &Limit) -> (u64, bool) {
    let key = CounterKey::new(RuleId::new(1), b"hung");
    let begun = Instant::now();
    let verdict = node.charge(&[Charge::new(key, limit, Cost::ONE)]).await;
    let took = begun.elapsed().as_nanos() as u64;
    (took, verdict.is_ok_and(|verdict| verdict.fallback().is_some()))
}
