//! A node whose decisions are made here, and whose refreshes elsewhere.

use std::{
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use tokio::runtime::{EnterGuard, Runtime};
use tollgate::{AlgorithmName, Charge, Cost, CounterKey, Limit, RuleId, Store as _, Verdict};
use tollgate_redis::Leases;

use super::super::load::{self, Node};

/// A node, and the runtime that its background work has.
pub(super) struct Rig {
    // Dropped in this order.
    pub(super) node: Node,
    runtime: Runtime,
}

/// Nobody is to be answered by a policy here.
const PATIENT: Duration = Duration::from_secs(5);
/// Whoever is asked for so often in a row is leased.
const SIGHTINGS: usize = 4;
/// Callers at once while keys become warm.
const CALLERS: usize = 512;

impl Rig {
    /// On one thread besides the caller's.
    pub(super) fn start(url: &str) -> anyhow::Result<Self> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build()?;
        let node = runtime.block_on(load::node(&[url.to_owned()], PATIENT, Leases::On))?;
        Ok(Self { node, runtime })
    }

    /// Lets whoever decides here wait for Redis if need be.
    pub(super) fn enter(&self) -> EnterGuard<'_> {
        self.runtime.enter()
    }

    /// Decides; only if Redis has to be asked, that is waited for.
    #[inline]
    pub(super) fn decide(&self, name: &str, limit: &Limit) -> Verdict {
        let key = CounterKey::new(RuleId::new(1), name.as_bytes());
        let charges = [Charge::new(key, limit, Cost::ONE)];
        let mut deciding = pin!(self.node.charge(&charges));
        let polled = deciding.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let verdict = match polled {
            Poll::Ready(verdict) => verdict,
            Poll::Pending => self.runtime.block_on(deciding),
        };
        verdict.expect("a verdict")
    }

    /// Asks for every key a few times in a row, so that all are leased.
    pub(super) fn warm(&self, names: &[String], limit: &Limit) {
        let share = names.len().div_ceil(CALLERS).max(1);
        self.runtime.block_on(async {
            let mut asking = tokio::task::JoinSet::new();
            for some in names.chunks(share) {
                let (node, limit, some) = (Node::clone(&self.node), limit.clone(), some.to_vec());
                asking.spawn(ask_again(node, limit, some));
            }
            while asking.join_next().await.is_some() {}
        });
    }

    /// Calls to Redis so far, of all kinds.
    pub(super) fn calls(&self) -> u64 {
        let stats = self.node.stats();
        stats.calls + stats.leases.calls
    }
}

/// More than anybody can ask for, and of a kind that both stores keep in the fewest bytes.
pub(super) fn ample() -> Limit {
    let limit = "1000000000000/month".parse::<Limit>();
    let limit = limit.and_then(|limit| limit.with_algorithm(AlgorithmName::FixedWindow));
    limit.expect("a limit")
}

/// Asks for each key a few times in a row.
async fn ask_again(node: Node, limit: Limit, names: Vec<String>) {
    for name in names.into_iter().flat_map(|name| vec![name; SIGHTINGS]) {
        let key = CounterKey::new(RuleId::new(1), name.as_bytes());
        let charge = Charge::new(key, &limit, Cost::ONE);
        node.charge(&[charge]).await.expect("a verdict");
    }
}
