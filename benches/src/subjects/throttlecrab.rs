//! throttlecrab's library. It takes `&mut self`, so whoever shares it locks it.

use std::{
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use throttlecrab::{PeriodicStore, RateLimiter};

use crate::{quota::Quota, subject::Subject, workload::Request};

/// The periodic store, its default. The adaptive one takes the same time here; the probabilistic one
/// sweeps all keys every thousand checks and is many times slower with many of them.
pub(super) struct Throttlecrab {
    limiter: Mutex<RateLimiter<PeriodicStore>>,
    quota: Quota,
}

impl Throttlecrab {
    pub(super) fn new(quota: Quota, keys: usize) -> Self {
        let store = PeriodicStore::with_capacity(keys);
        Self {
            limiter: Mutex::new(RateLimiter::new(store)),
            quota,
        }
    }
}

impl Subject for Throttlecrab {
    #[inline]
    fn check(&self, request: &Request) -> bool {
        let mut limiter = self.limiter.lock().unwrap_or_else(PoisonError::into_inner);
        let Quota {
            amount,
            period,
            burst,
        } = self.quota;
        let (burst, amount, seconds) = (burst.into(), amount.into(), period.as_secs() as i64);
        limiter
            .rate_limit(&request.key, burst, amount, seconds, 1, SystemTime::now())
            .is_ok_and(|(is_allowed, _)| is_allowed)
    }
}
