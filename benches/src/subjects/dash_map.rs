//! A counter for each key in a DashMap: neither clock nor limit.

use dashmap::DashMap;

use crate::{subject::Subject, workload::Request};

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
