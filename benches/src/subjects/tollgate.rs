//! Ours.

use std::hint::black_box;
use std::sync::Arc;

use tollgate::{
    AlgorithmName, Charge, Cost, CounterKey, ImmediateStore as _, Limit, RateLimiter, RuleId,
};

use crate::{subject::Subject, workload::Quota, workload::Request};

/// Requests in a batch.
pub(super) const BATCH: usize = 16;

pub(crate) fn token_bucket(quota: Quota) -> Limit {
    let seconds = quota.period.as_secs();
    let limit = format!("{}/{seconds}s", quota.amount).parse::<Limit>();
    limit.and_then(|limit| limit.with_burst(u64::from(quota.burst))).expect("a valid limit")
}

pub(super) fn fixed_window() -> Limit {
    window("1000000000/h", AlgorithmName::FixedWindow)
}

/// About as much as a slot can count of two windows; one hot key exhausts it.
pub(super) fn sliding_window() -> Limit {
    window("1000000/week", AlgorithmName::SlidingWindow)
}

fn window(text: &str, name: AlgorithmName) -> Limit {
    let limit = text.parse::<Limit>();
    limit.and_then(|limit| limit.with_algorithm(name)).expect("a valid limit")
}

pub(crate) fn limiter(limit: Limit, keys: usize) -> Arc<RateLimiter> {
    Arc::new(RateLimiter::builder().limit(limit).capacity(keys).build())
}

/// The headline: yes or no.
pub(super) struct IsAllowed(pub(super) Arc<RateLimiter>);

impl Subject for IsAllowed {
    #[inline]
    fn check(&self, request: &Request) -> bool {
        self.0.is_allowed(&request.key)
    }
}

/// The whole decision, all of it used.
pub(super) struct Check(pub(super) Arc<RateLimiter>);

impl Subject for Check {
    #[inline]
    fn check(&self, request: &Request) -> bool {
        black_box(self.0.check(&request.key, Cost::ONE)).is_allowed()
    }
}

/// Whole decisions, sixteen at a time.
pub(super) struct CheckBatch(pub(super) Arc<RateLimiter>);

impl Subject for CheckBatch {
    fn check(&self, request: &Request) -> bool {
        self.serve(std::slice::from_ref(request)) == 1
    }

    #[inline]
    fn serve(&self, requests: &[Request]) -> usize {
        let mut allowed = 0;
        let mut batch = Vec::with_capacity(BATCH);
        for requests in requests.chunks(BATCH) {
            batch.clear();
            batch.extend(requests.iter().map(|request| (request.key.as_str(), Cost::ONE)));
            let decisions = black_box(self.0.check_batch(&batch));
            allowed += decisions.iter().filter(|decision| decision.is_allowed()).count();
        }
        allowed
    }
}

/// The store's own batches, as a server would use them: nothing allocated but the charges.
pub(super) struct ChargeBatch {
    limiter: Arc<RateLimiter>,
    limit: Limit,
}

impl ChargeBatch {
    pub(super) fn new(limiter: Arc<RateLimiter>, limit: Limit) -> Self {
        Self { limiter, limit }
    }

    #[inline]
    fn charge<'a>(&'a self, request: &'a Request) -> [Charge<'a>; 1] {
        let key = CounterKey::new(RuleId::default(), request.key.as_bytes());
        [Charge::new(key, &self.limit, Cost::ONE)]
    }
}

impl Subject for ChargeBatch {
    fn check(&self, request: &Request) -> bool {
        let charges = self.charge(request);
        self.limiter.store().charge_now(&charges).is_allowed()
    }

    #[inline]
    fn serve(&self, requests: &[Request]) -> usize {
        let mut allowed = 0;
        let mut verdicts = Vec::with_capacity(BATCH);
        let mut batches = requests.chunks_exact(BATCH);
        for requests in &mut batches {
            let charges: [_; BATCH] = std::array::from_fn(|index| self.charge(&requests[index]));
            let batch = charges.each_ref().map(<[Charge<'_>; 1]>::as_slice);
            verdicts.clear();
            self.limiter.store().charge_batch_now(&batch, &mut verdicts);
            let verdicts = black_box(&verdicts).iter();
            allowed += verdicts.filter(|verdict| verdict.is_allowed()).count();
        }
        let rest = batches.remainder().iter();
        allowed + rest.filter(|request| self.check(request)).count()
    }
}
