//! limitador with as many limits, each on an exact path: what matching costs when every limit is asked.

use std::{collections::HashMap, hint::black_box, time::Instant};

use limitador::{
    RateLimiter,
    limit::{Limit, Namespace},
};

use super::lookup::median;

const NAMESPACE: &str = "bench";

/// Nanoseconds from a request to the answer of `is_rate_limited`, which counts nothing.
pub(super) fn match_ns(limits: usize) -> f64 {
    let limiter = RateLimiter::new(1_000);
    for place in 0..limits {
        let condition = format!("path == '/api/v1/service-{place}/list'");
        let condition = condition.as_str().try_into().expect("a valid condition");
        let variable = "user_id".try_into().expect("a valid expression");
        let limit = Limit::new(
            NAMESPACE,
            1_000_000_000,
            3_600,
            vec![condition],
            vec![variable],
        );
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
