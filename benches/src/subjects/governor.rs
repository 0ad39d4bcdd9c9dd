//! governor, keyed, as shipped: a DashMap and its default clock.

use std::num::NonZeroU32;

use governor::{DefaultKeyedRateLimiter, RateLimiter};

use crate::{quota::Quota, subject::Subject, workload::Request};

pub(super) struct Governor(DefaultKeyedRateLimiter<String>);

impl Governor {
    pub(super) fn new(quota: Quota) -> Self {
        let burst = NonZeroU32::new(quota.burst).expect("a burst above zero");
        let quota = governor::Quota::with_period(quota.interval()).expect("an interval above zero");
        Self(RateLimiter::keyed(quota.allow_burst(burst)))
    }
}

impl Subject for Governor {
    #[inline]
    fn check(&self, request: &Request) -> bool {
        self.0.check_key(&request.key).is_ok()
    }
}
