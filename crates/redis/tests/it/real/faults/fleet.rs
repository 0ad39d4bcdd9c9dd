//! Several nodes over one Redis, and what a caller sees of them.

use std::{borrow::Cow, net::SocketAddr, sync::Arc, time::Duration};

use tollgate_core::{
    Action, Charge, Consistency, Cost, CounterKey, Limit, OnFailure, Policy, RuleId, Store as _,
    SystemClock, Verdict,
};
use tollgate_memory::MemoryStore;
use tollgate_redis::{Journal, Options, RedisStore, Standing};
use tollgate_testkit::wait_for;

pub(crate) type Node = Arc<RedisStore<MemoryStore<SystemClock>>>;

/// For what takes some seconds on a machine with other work.
pub(crate) const LONG: Duration = Duration::from_secs(120);

/// Longer than the default, so that a machine with other work does not look like a Redis that is slow; far
/// shorter than every fault that is shown to the fleet.
const DEADLINE: Duration = Duration::from_millis(50);

/// Where no fault keeps Redis from answering in the end, and the policies must not answer for it.
const NO_DEADLINE: Duration = Duration::from_secs(60);

/// A decision that is not there after so many turns of the runtime waits for something that it must not wait
/// for: it takes a second at least, and longer by as much as the machine stalls.
const HANG_TURNS: usize = 100;
const TURN: Duration = Duration::from_millis(10);

/// Between two questions.
pub(crate) const PAUSE: Duration = Duration::from_millis(10);

/// Every policy, in the order of [`tollgate_redis::Stats::by_policy`].
pub(crate) const POLICIES: [OnFailure; 3] = [OnFailure::Open, OnFailure::Closed, OnFailure::Local];

/// Nodes that share their counters.
pub(crate) struct Fleet {
    pub(crate) nodes: Vec<Node>,
}

/// A rule, and whose counter.
#[derive(Clone)]
pub(crate) struct Rule {
    pub(crate) user: Vec<u8>,
    pub(crate) limit: Limit,
    pub(crate) policy: OnFailure,
    pub(crate) consistency: Consistency,
}

impl Rule {
    /// So many in ten years at once, and next to nothing later: no story lasts long enough to earn another unit,
    /// and none sees the end of its window before 2030.
    pub(crate) fn new(user: impl Into<Vec<u8>>, units: u64, policy: OnFailure) -> Self {
        Self::by("token_bucket", user, units, policy)
    }

    /// The same by another algorithm.
    pub(crate) fn by(
        algorithm: &str,
        user: impl Into<Vec<u8>>,
        units: u64,
        policy: OnFailure,
    ) -> Self {
        Self {
            user: user.into(),
            limit: tollgate_testkit::limit(&format!("{units}/120month {algorithm}")),
            policy,
            consistency: Consistency::Exact,
        }
    }

    /// The same, spent in slices.
    pub(crate) fn leased(self) -> Self {
        Self { consistency: Consistency::Leased, ..self }
    }

    pub(crate) fn name(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.user)
    }

    pub(crate) fn charge(&self) -> Charge<'_> {
        let key = CounterKey::new(RuleId::new(7), &self.user);
        Charge::new(key, &self.limit, Cost::ONE)
            .under(Policy { consistency: self.consistency, on_failure: self.policy })
    }
}

impl Fleet {
    /// Two nodes.
    pub(crate) fn start<S: Into<String>>(urls: impl IntoIterator<Item = S>) -> Self {
        Self::with(2, urls, DEADLINE)
    }

    /// The same, waiting for the answers of Redis however long they take.
    pub(crate) fn patient<S: Into<String>>(urls: impl IntoIterator<Item = S>) -> Self {
        Self::patient_of(2, urls)
    }

    /// The same with so many nodes.
    pub(crate) fn patient_of<S: Into<String>>(
        nodes: usize,
        urls: impl IntoIterator<Item = S>,
    ) -> Self {
        Self::with(nodes, urls, NO_DEADLINE)
    }

    /// The same with one node, that comes after others.
    pub(crate) fn patient_after<S: Into<String>>(
        urls: impl IntoIterator<Item = S>,
        journal: Journal,
    ) -> Self {
        let urls: Vec<String> = urls.into_iter().map(Into::into).collect();
        let options = Options { journal, ..options(&urls, NO_DEADLINE) };
        Self { nodes: vec![node(options)] }
    }

    fn with<S: Into<String>>(
        nodes: usize,
        urls: impl IntoIterator<Item = S>,
        deadline: Duration,
    ) -> Self {
        let urls: Vec<String> = urls.into_iter().map(Into::into).collect();
        Self { nodes: (0..nodes).map(|_| node(options(&urls, deadline))).collect() }
    }

    /// Waits until every shard is asked by every node, and every node knows of all.
    pub(crate) fn is_up(&self) {
        let count = u32::try_from(self.nodes.len()).unwrap();
        self.wait("a fleet over a Redis that is well", |node| {
            is_up(node) && node.health().live_nodes == count
        });
    }

    /// Waits until every shard is asked by every node, though some may not have noticed yet who is gone.
    pub(crate) fn is_there(&self) {
        self.wait("nodes that ask a Redis that is well", is_up);
    }

    /// Waits until no node asks the shard of this address, and says why not.
    pub(crate) fn is_down(&self, address: SocketAddr) {
        let address = address.to_string();
        self.wait("a shard that nobody asks", |node| {
            let shards = node.health().shards;
            let shard = shards.iter().find(|shard| shard.name == address);
            shard.is_some_and(|shard| shard.standing == Standing::Down && shard.trouble.is_some())
        });
    }

    pub(crate) fn wait(&self, what: &str, is_so: impl Fn(&Node) -> bool) {
        wait_for(what, LONG, || self.nodes.iter().all(&is_so).then_some(()));
    }

    /// How often calls have failed for this cause.
    pub(crate) fn failures(&self, cause: &str) -> u64 {
        let all = self.nodes.iter().flat_map(|node| node.stats().failures);
        all.filter(|(its, _)| *its == cause).map(|(_, count)| count).sum()
    }

    /// Waits until all that is owed was paid.
    pub(crate) async fn settle(&self) {
        for node in &self.nodes {
            assert_eq!(node.settle(LONG).await, 0, "counters that are left unsettled");
            let stats = node.stats();
            assert_eq!((stats.owing, stats.unsettled), (0, 0), "{stats:?}");
        }
    }

    /// A decision by Redis, at one node.
    pub(crate) async fn decides(&self, place: usize, rule: &Rule) -> Verdict {
        let deciding = async {
            loop {
                let verdict = decide(&self.nodes[place], &[rule.charge()]).await.unwrap();
                if verdict.fallback().is_none() {
                    return verdict;
                }
                tokio::time::sleep(PAUSE).await;
            }
        };
        let verdict = tokio::time::timeout(LONG, deciding).await;
        verdict.expect("Redis decides")
    }

    /// What is left of a counter, by the word of Redis.
    pub(crate) async fn left(&self, rule: &Rule) -> u64 {
        let nobody = rule.charge().with_cost(Cost::ZERO);
        let peeking = async {
            loop {
                let peeked = self.nodes[0].inspect(Action::Peek, &[nobody]).await;
                let peeked = peeked.unwrap();
                // It may be late on a machine with other work, or about to be connected again.
                if peeked.fallback().is_none() {
                    return peeked.binding().remaining();
                }
                tokio::time::sleep(PAUSE).await;
            }
        };
        let left = tokio::time::timeout(LONG, peeking).await;
        left.expect("Redis says what is left")
    }
}

fn is_up(node: &Node) -> bool {
    let shards = node.health().shards;
    let mut all = shards.iter();
    !shards.is_empty() && all.all(|shard| shard.standing == Standing::Up)
}

fn options(urls: &[String], deadline: Duration) -> Options {
    Options {
        deadline,
        naming: |values, part| part("user", values),
        ..Options::new(urls.iter().cloned())
    }
}

fn node(options: Options) -> Node {
    let local = MemoryStore::new(SystemClock);
    Arc::new(RedisStore::start(options, local, Arc::new(SystemClock)).unwrap())
}

/// One decision, which must not take long.
pub(crate) async fn decide(node: &Node, charges: &[Charge<'_>]) -> Result<Verdict, String> {
    let hanging = async {
        for _ in 0..HANG_TURNS {
            tokio::time::sleep(TURN).await;
        }
    };
    tokio::select! {
        biased;
        verdict = node.charge(charges) => verdict.map_err(|error| error.to_string()),
        () = hanging => Err(format!("no decision after {HANG_TURNS} turns of {TURN:?}")),
    }
}
