//! The others, each in the way its own documentation shows.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Instant, SystemTime},
};

use dashmap::DashMap;
use governor::DefaultKeyedRateLimiter;
use limitador::limit::{Limit, Namespace};
use throttlecrab::PeriodicStore;

use crate::{subject::Subject, workload::Quota, workload::Request};

pub(super) struct Array(Box<[AtomicU64]>);

impl Array {
    pub(super) fn new(keys: usize) -> Self {
        Self((0..keys).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Subject for Array {
    #[inline]
    fn check(&self, request: &Request) -> bool {
        self.0[request.index].fetch_add(1, Relaxed) < u64::MAX
    }
}

#[derive(Default)]
pub(super) struct Increment(DashMap<String, u64>);

impl Subject for Increment {
    #[inline]
    fn check(&self, request: &Request) -> bool {
        if let Some(mut count) = self.0.get_mut(&request.key) {
            *count += 1;
            return *count < u64::MAX;
        }
        *self.0.entry(request.key.clone()).or_default() += 1;
        true
    }
}

pub(super) struct MutexMap {
    buckets: Mutex<HashMap<String, Bucket>>,
    burst: f64,
    per_second: f64,
}

struct Bucket {
    tokens: f64,
    filled_at: Instant,
}

impl MutexMap {
    pub(super) fn new(quota: Quota) -> Self {
        Self {
            buckets: Mutex::default(),
            burst: f64::from(quota.burst),
            per_second: quota.interval().as_secs_f64().recip(),
        }
    }
}

impl Subject for MutexMap {
    #[inline]
    fn check(&self, request: &Request) -> bool {
        let now = Instant::now();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let full = || Bucket { tokens: self.burst, filled_at: now };
        let bucket = match buckets.get_mut(&request.key) {
            Some(bucket) => bucket,
            None => buckets.entry(request.key.clone()).or_insert_with(full),
        };
        let earned =
            now.saturating_duration_since(bucket.filled_at).as_secs_f64() * self.per_second;
        bucket.tokens = (bucket.tokens + earned).min(self.burst);
        bucket.filled_at = now;
        let is_allowed = bucket.tokens >= 1.0;
        if is_allowed {
            bucket.tokens -= 1.0;
        }
        is_allowed
    }
}

pub(super) struct Governor(DefaultKeyedRateLimiter<String>);

impl Governor {
    pub(super) fn new(quota: Quota) -> Self {
        let burst = NonZeroU32::new(quota.burst).expect("a burst above zero");
        let quota = governor::Quota::with_period(quota.interval()).expect("an interval above zero");
        Self(governor::RateLimiter::keyed(quota.allow_burst(burst)))
    }
}

impl Subject for Governor {
    #[inline]
    fn check(&self, request: &Request) -> bool {
        self.0.check_key(&request.key).is_ok()
    }
}

/// The periodic store, its default. The adaptive one takes the same time here; the probabilistic one
/// sweeps all keys every thousand checks and is many times slower with many of them.
pub(super) struct Throttlecrab {
    limiter: Mutex<throttlecrab::RateLimiter<PeriodicStore>>,
    quota: Quota,
}

impl Throttlecrab {
    pub(super) fn new(quota: Quota, keys: usize) -> Self {
        let store = PeriodicStore::with_capacity(keys);
        Self { limiter: Mutex::new(throttlecrab::RateLimiter::new(store)), quota }
    }
}

impl Subject for Throttlecrab {
    #[inline]
    fn check(&self, request: &Request) -> bool {
        let mut limiter = self.limiter.lock().unwrap_or_else(PoisonError::into_inner);
        let Quota { amount, period, burst } = self.quota;
        let (burst, amount, seconds) = (burst.into(), amount.into(), period.as_secs() as i64);
        limiter
            .rate_limit(&request.key, burst, amount, seconds, 1, SystemTime::now())
            .is_ok_and(|(is_allowed, _)| is_allowed)
    }
}

const NAMESPACE: &str = "bench";
const AMOUNT: u64 = 1_000_000_000;
const SECONDS: u64 = 60;

pub(super) struct Limitador {
    limiter: limitador::RateLimiter,
    namespace: Namespace,
}

impl Limitador {
    pub(super) fn new(keys: usize) -> Self {
        let limiter = limitador::RateLimiter::new(keys as u64);
        let variable = "user_id".try_into().expect("a valid expression");
        let no_conditions: Vec<limitador::limit::Predicate> = Vec::new();
        limiter.add_limit(Limit::new(NAMESPACE, AMOUNT, SECONDS, no_conditions, vec![variable]));
        Self { limiter, namespace: NAMESPACE.into() }
    }
}

impl Subject for Limitador {
    fn check(&self, request: &Request) -> bool {
        let values = HashMap::from([("user_id".to_owned(), request.key.clone())]);
        self.limiter
            .check_rate_limited_and_update(&self.namespace, &values.into(), 1)
            .is_ok_and(|result| !result.limited)
    }
}
