//! limitador's in-memory storage: a window of a minute for each `user_id`.

use std::collections::HashMap;

use limitador::{
    RateLimiter,
    limit::{Limit, Namespace},
};

use crate::{subject::Subject, workload::Request};

const NAMESPACE: &str = "bench";
const AMOUNT: u64 = 1_000_000_000;
const SECONDS: u64 = 60;

pub(super) struct Limitador {
    limiter: RateLimiter,
    namespace: Namespace,
}

impl Limitador {
    pub(super) fn new(keys: usize) -> Self {
        let limiter = RateLimiter::new(keys as u64);
        let variable = "user_id".try_into().expect("a valid expression");
        let no_conditions: Vec<limitador::limit::Predicate> = Vec::new();
        limiter.add_limit(Limit::new(
            NAMESPACE,
            AMOUNT,
            SECONDS,
            no_conditions,
            vec![variable],
        ));
        Self {
            limiter,
            namespace: NAMESPACE.into(),
        }
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
