//! The floor: an array of counters, at a place known beforehand. No hash, no clock, no limit.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::{subject::Subject, workload::Request};

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
