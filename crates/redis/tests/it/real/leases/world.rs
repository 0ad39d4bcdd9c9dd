//! Counters of every kind, hot and cold, in every shard.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tollgate_core::{
    Charge, Consistency, Cost, CounterKey, Limit, Now, OnFailure, Policy, RuleId, Verdict,
};
use tollgate_testkit::{describe, limit, redis::Cluster};

use super::ledger::Ledger;

/// Every algorithm in every mode. Those of ten years cannot end in the course of the story.
const HOT: [(&str, Consistency); 11] = [
    ("6000/120month fixed_window", Consistency::Leased),
    ("6000/120month sliding_window", Consistency::Leased),
    ("6000/120month burst 6000", Consistency::Leased),
    ("400/s burst 2000", Consistency::Leased),
    ("900/s fixed_window", Consistency::Leased),
    ("500/120month fixed_window", Consistency::Exact),
    ("500/120month sliding_log", Consistency::Exact),
    ("50/s burst 100", Consistency::Exact),
    // Counted exactly, since each request has to be seen.
    ("50/s leaky_bucket burst 100", Consistency::Leased),
    ("200/120month sliding_window", Consistency::Local),
    ("50/s burst 100", Consistency::Local),
];

/// Counters that are asked about now and then.
const COLD: [(&str, Consistency); 3] = [
    ("5/120month fixed_window", Consistency::Leased),
    ("5/120month sliding_window", Consistency::Leased),
    ("5/120month burst 5", Consistency::Leased),
];
const COLD_USERS: usize = 60;

/// A counter, and what its callers were told by each node.
pub(crate) struct Counter {
    rule: RuleId,
    user: String,
    pub(crate) limit: Limit,
    pub(crate) consistency: Consistency,
    ledgers: Vec<Ledger>,
    /// When nothing else was asked for.
    pub(crate) denied: AtomicU64,
    pub(crate) by_policy: AtomicU64,
}

impl Counter {
    fn new(
        (place, (text, consistency)): (usize, (&str, Consistency)),
        user: &str,
        nodes: usize,
    ) -> Self {
        let ledgers = match consistency {
            Consistency::Local => nodes,
            _ => 1,
        };
        Self {
            rule: RuleId::new(u128::try_from(place).unwrap() + 1),
            user: user.to_owned(),
            limit: limit(text),
            consistency,
            ledgers: (0..ledgers).map(|_| Ledger::default()).collect(),
            denied: AtomicU64::new(0),
            by_policy: AtomicU64::new(0),
        }
    }

    pub(crate) fn charge(&self, cost: u64) -> Charge<'_> {
        let key = CounterKey::new(self.rule, self.user.as_bytes());
        Charge::new(key, &self.limit, Cost::new(cost))
            .under(Policy { consistency: self.consistency, on_failure: OnFailure::Closed })
    }

    pub(crate) fn note(&self, node: usize, sent: Now, cost: u64, verdict: &Verdict) {
        match (verdict.is_allowed(), verdict.fallback()) {
            (true, None) => self.ledgers[node % self.ledgers.len()].note(sent, cost),
            (false, None) if verdict.decisions().len() > 1 => {}
            (false, None) => _ = self.denied.fetch_add(1, Relaxed),
            (false, Some(_)) => _ = self.by_policy.fetch_add(1, Relaxed),
            (true, Some(policy)) => panic!("{policy:?} let somebody in: {}", self.name()),
        }
    }

    pub(crate) fn name(&self) -> String {
        let mode = self.consistency.word();
        format!("{} {} {mode}", self.user, describe(&self.limit))
    }

    pub(crate) fn admitted(&self) -> u64 {
        self.ledgers.iter().map(Ledger::total).sum()
    }

    /// Of the worst node, if each counts for itself.
    pub(crate) fn overshoot(&self) -> u64 {
        let each = self.ledgers.iter();
        each.map(|one| one.overshoot(&self.limit)).max().unwrap()
    }

    /// No more than there is, if that is once and for all.
    pub(crate) fn is_within(&self) {
        let most = self.limit.capacity();
        let is_within = |ledger: &Ledger| ledger.total() <= most;
        let is_so = !self.is_finite() || self.ledgers.iter().all(is_within);
        assert!(is_so, "{}: {}", self.name(), self.admitted());
    }

    /// Whether its units are spent once and for all.
    pub(crate) fn is_finite(&self) -> bool {
        self.limit.period().length().get() > 3_600_000_000
    }

    pub(crate) fn is_leased(&self) -> bool {
        self.consistency == Consistency::Leased && self.limit.refresh().is_ok()
    }
}

/// The counters of a story.
pub(crate) struct World {
    /// By shard.
    pub(crate) hot: Vec<Vec<Counter>>,
    pub(crate) cold: Vec<Counter>,
}

impl World {
    pub(crate) fn of(cluster: &Cluster, nodes: usize) -> Self {
        let hot = cluster.shards().map(|shard| {
            let user = user_in(cluster, cluster.primary(shard));
            let rules = HOT.into_iter().enumerate();
            rules.map(|rule| Counter::new(rule, &user, nodes)).collect()
        });
        let cold = (0..COLD_USERS).flat_map(|user| {
            let user = format!("cold-{user}");
            let rules = COLD.into_iter().enumerate();
            rules.map(move |rule| Counter::new(rule, &user, nodes))
        });
        Self { hot: hot.collect(), cold: cold.collect() }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Counter> {
        self.hot.iter().flatten().chain(&self.cold)
    }
}

/// Somebody whose counters live there.
pub(crate) fn user_in(cluster: &Cluster, node: usize) -> String {
    let mut users = (0..100).map(|number| format!("user-{number}"));
    let is_there = |user: &String| {
        let slot = cluster.slot_of(format!("{{user:{user}}}").as_bytes());
        cluster.node_of(slot) == node
    };
    users.find(is_there).unwrap()
}
