//! What one writes oneself: a `HashMap` of token buckets behind a `Mutex`.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use crate::{quota::Quota, subject::Subject, workload::Request};

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
        let full = || Bucket {
            tokens: self.burst,
            filled_at: now,
        };
        let bucket = match buckets.get_mut(&request.key) {
            Some(bucket) => bucket,
            None => buckets.entry(request.key.clone()).or_insert_with(full),
        };
        let earned = now
            .saturating_duration_since(bucket.filled_at)
            .as_secs_f64()
            * self.per_second;
        bucket.tokens = (bucket.tokens + earned).min(self.burst);
        bucket.filled_at = now;
        let is_allowed = bucket.tokens >= 1.0;
        if is_allowed {
            bucket.tokens -= 1.0;
        }
        is_allowed
    }
}
