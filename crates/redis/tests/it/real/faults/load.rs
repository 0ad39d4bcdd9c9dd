//! Callers who never rest, and count what they are told.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::task::JoinSet;
use tollgate_core::OnFailure;
use tollgate_testkit::wait_for;

use super::{
    fleet::{Fleet, LONG, Node, POLICIES, Rule, decide},
    story::ENDLESS,
};

/// Callers of one rule at one node.
const CALLERS: usize = 2;
/// Between the questions of one caller.
const PAUSE: Duration = Duration::from_millis(8);
/// The same in stories that last longer.
const LONG_PAUSE: Duration = Duration::from_millis(20);
/// So many answers show that something goes on.
const SOME: u64 = 50;

/// Callers of some rules at all nodes of a fleet.
pub(crate) struct Load<'a> {
    fleet: &'a Fleet,
    pub(crate) rules: Vec<Rule>,
    seen: Vec<Arc<Seen>>,
    is_over: Arc<AtomicBool>,
    callers: JoinSet<()>,
    before: [u64; 3],
}

/// What the callers of one rule were told.
#[derive(Default, Debug)]
pub(crate) struct Seen {
    admitted: AtomicU64,
    denied: AtomicU64,
    admitted_by_policy: AtomicU64,
    denied_by_policy: AtomicU64,
    failures: Mutex<Vec<String>>,
}

/// The numbers of a rule at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// By Redis.
    pub(crate) admitted: u64,
    pub(crate) denied: u64,
    pub(crate) admitted_by_policy: u64,
    pub(crate) denied_by_policy: u64,
}

impl Counts {
    pub(crate) const fn by_redis(&self) -> u64 {
        self.admitted + self.denied
    }

    pub(crate) const fn by_policy(&self) -> u64 {
        self.admitted_by_policy + self.denied_by_policy
    }

    pub(crate) const fn total_admitted(&self) -> u64 {
        self.admitted + self.admitted_by_policy
    }
}

impl<'a> Load<'a> {
    pub(crate) fn start(fleet: &'a Fleet, rules: Vec<Rule>) -> Self {
        Self::paced(fleet, rules, PAUSE)
    }

    /// The same with fewer questions in more time.
    pub(crate) fn slow(fleet: &'a Fleet, rules: Vec<Rule>) -> Self {
        Self::paced(fleet, rules, LONG_PAUSE)
    }

    fn paced(fleet: &'a Fleet, rules: Vec<Rule>, pause: Duration) -> Self {
        let before = by_policy(fleet);
        let is_over = Arc::new(AtomicBool::new(false));
        let seen: Vec<Arc<Seen>> = rules.iter().map(|_| Arc::default()).collect();
        let mut callers = JoinSet::new();
        let each = fleet.nodes.iter().cycle().take(CALLERS * fleet.nodes.len());
        for node in each {
            for (rule, seen) in rules.iter().zip(&seen) {
                let (node, rule) = (Arc::clone(node), rule.clone());
                let (seen, is_over) = (Arc::clone(seen), Arc::clone(&is_over));
                callers.spawn(async move { ask(&node, &rule, &seen, (&is_over, pause)).await });
            }
        }
        Self { before, fleet, rules, seen, is_over, callers }
    }

    /// The numbers of every rule so far.
    pub(crate) fn counts(&self) -> Vec<Counts> {
        self.seen.iter().map(|seen| seen.counts()).collect()
    }

    /// Waits until this is so of every rule.
    pub(crate) fn until(&self, what: &str, is_so: impl Fn(&Counts) -> bool) {
        let all_so = || self.counts().iter().all(&is_so).then_some(());
        // A failure says more than a wait in vain.
        wait_for(what, LONG, || {
            self.seen.iter().for_each(|seen| seen.is_clean());
            all_so()
        });
    }

    /// Waits until nothing is left: to the last unit where no policy has spent any.
    pub(crate) fn until_spent(&self) {
        let is_spent = |(rule, counts): (&Rule, &Counts)| match rule.policy {
            _ if rule.limit.amount() == ENDLESS => true,
            OnFailure::Closed => counts.admitted >= rule.limit.amount(),
            _ => counts.denied > 0,
        };
        wait_for("limits that are used up", LONG, || {
            self.seen.iter().for_each(|seen| seen.is_clean());
            let counts = self.counts();
            let mut both = self.rules.iter().zip(&counts);
            both.all(is_spent).then_some(())
        });
    }

    /// Waits until Redis has decided some more for every rule.
    pub(crate) fn until_redis_decides(&self) {
        self.until_more("decisions by Redis", Counts::by_redis);
    }

    /// Waits until policies have decided some more for every rule.
    pub(crate) fn until_policies_decide(&self) {
        self.until_more("decisions by policies", Counts::by_policy);
    }

    fn until_more(&self, what: &str, count: impl Fn(&Counts) -> u64) {
        let before: Vec<u64> = self.counts().iter().map(&count).collect();
        wait_for(what, LONG, || {
            self.seen.iter().for_each(|seen| seen.is_clean());
            let now = self.counts();
            let more = |(now, before): (&Counts, &u64)| count(now) >= before + SOME;
            now.iter().zip(&before).all(more).then_some(())
        });
    }

    /// Sends all callers home. No decision was an error or took long, and the nodes have counted just what
    /// the callers were told. Hands over each rule and its numbers.
    pub(crate) async fn end(mut self) -> Vec<(Rule, Counts)> {
        self.is_over.store(true, Relaxed);
        while let Some(ended) = self.callers.join_next().await {
            ended.unwrap();
        }
        self.seen.iter().for_each(|seen| seen.is_clean());
        let counts = self.counts();
        let told = POLICIES.map(|policy| {
            let rules = self.rules.iter().zip(&counts);
            let ours = rules.filter(|(rule, _)| rule.policy == policy);
            ours.map(|(_, counts)| counts.by_policy()).sum::<u64>()
        });
        let after = by_policy(self.fleet);
        let counted = [0, 1, 2].map(|at| after[at] - self.before[at]);
        assert_eq!(counted, told, "requests that policies have answered, counted and seen");
        self.rules.into_iter().zip(counts).collect()
    }
}

impl Seen {
    fn counts(&self) -> Counts {
        Counts {
            admitted: self.admitted.load(Relaxed),
            denied: self.denied.load(Relaxed),
            admitted_by_policy: self.admitted_by_policy.load(Relaxed),
            denied_by_policy: self.denied_by_policy.load(Relaxed),
        }
    }

    fn is_clean(&self) {
        let failures = self.failures.lock().unwrap();
        assert!(failures.is_empty(), "{failures:?}");
    }

    fn note(&self, fallback: Option<OnFailure>, is_allowed: impl Into<u64>) {
        let count = match (fallback, is_allowed.into()) {
            (None, 1) => &self.admitted,
            (None, _) => &self.denied,
            (Some(_), 1) => &self.admitted_by_policy,
            (Some(_), _) => &self.denied_by_policy,
        };
        count.fetch_add(1, Relaxed);
    }
}

async fn ask(node: &Node, rule: &Rule, seen: &Seen, (is_over, pause): (&AtomicBool, Duration)) {
    while !is_over.load(Relaxed) {
        match decide(node, &[rule.charge()]).await {
            Ok(verdict) => seen.note(verdict.fallback(), verdict.is_allowed()),
            Err(failure) => seen.failures.lock().unwrap().push(failure),
        }
        tokio::time::sleep(pause).await;
    }
}

fn by_policy(fleet: &Fleet) -> [u64; 3] {
    let all = fleet.nodes.iter().map(|node| node.stats().by_policy);
    all.fold([0; 3], |sum, one| [0, 1, 2].map(|at| sum[at] + one[at]))
}
