//! From facts to charges, whatever the number of rules; beside limitador, which asks every limit.

use std::{collections::HashMap, hint::black_box, time::Instant};

use limitador::{
    RateLimiter,
    limit::{Limit, Namespace},
};
use tollgate::{
    Timestamp,
    rules::{Directory, Query, Snapshot},
};

use super::sets::{Asked, rule_set};
use crate::depth::Depth;

/// What a rule set of one size costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lookup {
    pub(crate) rules: usize,
    pub(crate) compile_ms: f64,
    /// From a query to the charge list.
    pub(crate) plan_ns: f64,
    /// The same with the facts normalised from text first.
    pub(crate) query_and_plan_ns: f64,
    pub(crate) charges: f64,
    /// The peer that asks every limit, beside ours.
    pub(crate) limitador_ns: f64,
}

const SIZES: [usize; 3] = [200, 2_000, 20_000];

/// Requests of one size that are asked in turn; few enough to stay near, so that rules are measured
/// and not the memory that holds the requests.
const REQUESTS: usize = 200;

pub(super) fn run(depth: Depth) -> Vec<Lookup> {
    let rounds = depth.pick(3, 41);
    let mut subjects: Vec<Subject> = SIZES.into_iter().map(Subject::new).collect();
    for _ in 0..rounds {
        for subject in &mut subjects {
            subject.round();
        }
    }
    subjects.into_iter().map(Subject::finish).collect()
}

struct Subject {
    rules: usize,
    snapshot: Snapshot,
    compile_ms: f64,
    asked: Vec<Asked>,
    plan_ns: Vec<f64>,
    query_and_plan_ns: Vec<f64>,
    charges: f64,
}

impl Subject {
    fn new(rules: usize) -> Self {
        let set = rule_set(rules);
        let mut times: Vec<f64> = (0..5)
            .map(|_| {
                let start = Instant::now();
                black_box(Snapshot::compile(&set, 1));
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        let spread = |request: usize| request * (rules / REQUESTS) + request % 20;
        Self {
            rules,
            snapshot: Snapshot::compile(&set, 1),
            compile_ms: median(&mut times),
            asked: (0..REQUESTS).map(|request| Asked::new(spread(request))).collect(),
            plan_ns: Vec::new(),
            query_and_plan_ns: Vec::new(),
            charges: 0.0,
        }
    }

    fn round(&mut self) {
        let (directory, now) = (Directory::new(), Timestamp::EPOCH);
        let plan = |query: &Query<'_>| {
            let plan = self.snapshot.plan(black_box(query), &directory, now);
            black_box(plan.charges()).len()
        };
        let queries: Vec<Query<'_>> = self.asked.iter().map(Asked::query).collect();
        let mut charges = 0;
        let ready = time(|| charges = queries.iter().map(plan).sum());
        let whole = time(|| {
            let made = self.asked.iter().map(|asked| plan(&black_box(asked).query()));
            black_box(made.sum::<usize>());
        });
        self.charges = charges as f64 / queries.len() as f64;
        self.plan_ns.push(ready);
        self.query_and_plan_ns.push(whole);
    }

    fn finish(mut self) -> Lookup {
        Lookup {
            rules: self.rules,
            compile_ms: self.compile_ms,
            plan_ns: median(&mut self.plan_ns),
            query_and_plan_ns: median(&mut self.query_and_plan_ns),
            charges: self.charges,
            limitador_ns: limitador_ns(self.rules),
        }
    }
}

/// Nanoseconds per request, once warm.
fn time(mut pass: impl FnMut()) -> f64 {
    const PASSES: usize = 20;
    pass();
    let start = Instant::now();
    for _ in 0..PASSES {
        pass();
    }
    start.elapsed().as_secs_f64() * 1e9 / (PASSES * REQUESTS) as f64
}

pub(crate) fn median(times: &mut [f64]) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

const NAMESPACE: &str = "bench";

/// Nanoseconds from a request to the answer of `is_rate_limited`, which counts nothing.
fn limitador_ns(limits: usize) -> f64 {
    let limiter = RateLimiter::new(1_000);
    for place in 0..limits {
        let condition = format!("path == '/api/v1/service-{place}/list'");
        let condition = condition.as_str().try_into().expect("a valid condition");
        let variable = "user_id".try_into().expect("a valid expression");
        let limit = Limit::new(NAMESPACE, 1_000_000_000, 3_600, vec![condition], vec![variable]);
        limiter.add_limit(limit);
    }
    let namespace: Namespace = NAMESPACE.into();
    let mut times: Vec<f64> = (0..5)
        .map(|round| {
            let path = format!("/api/v1/service-{}/list", round * limits / 5);
            let facts = [("user_id", "alice"), ("path", path.as_str())];
            let facts: HashMap<String, String> = facts
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            let start = Instant::now();
            black_box(limiter.is_rate_limited(&namespace, &facts.into(), 1)).expect("an answer");
            start.elapsed().as_secs_f64() * 1e9
        })
        .collect();
    median(&mut times)
}
