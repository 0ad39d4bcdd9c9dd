//! What is measured, and the same behind one pointer: everything that is timed happens inside, without it.

use std::{hint::black_box, time::Duration};

use crate::{sample, workload::Request};

/// Something that answers "may this request pass?".
pub(crate) trait Subject: Sync {
    fn check(&self, request: &Request) -> bool;

    /// Answers requests in order and says how many may pass. Batches have their own way.
    #[inline]
    fn serve(&self, requests: &[Request]) -> usize {
        requests.iter().map(|request| usize::from(self.check(request))).sum()
    }
}

pub(crate) trait Contestant: Sync {
    /// Asks once for each key. The texts are made on the way and not kept.
    fn fill(&self, keys: usize);

    /// See [`sample::one_thread`].
    fn one_thread(&self, requests: &[Request], time: Duration) -> Vec<f64>;

    /// See [`sample::two_threads`].
    fn two_threads(&self, requests: &[Request], time: Duration) -> Vec<f64>;

    /// Answers the requests once, in a function that a profiler can be told to count.
    fn counted(&self, requests: &[Request]);
}

impl<S: Subject> Contestant for S {
    fn fill(&self, keys: usize) {
        for index in 0..keys {
            black_box(self.check(&Request::new(index)));
        }
    }

    fn one_thread(&self, requests: &[Request], time: Duration) -> Vec<f64> {
        sample::one_thread(self, requests, time)
    }

    fn two_threads(&self, requests: &[Request], time: Duration) -> Vec<f64> {
        sample::two_threads(self, requests, time)
    }

    fn counted(&self, requests: &[Request]) {
        black_box(counted_checks(self, requests));
    }
}

/// A part of [`counted_checks`]' name that nothing else has.
pub(crate) const COUNTED: &str = "*counted_checks*";

#[inline(never)]
fn counted_checks<S: Subject>(subject: &S, requests: &[Request]) -> usize {
    subject.serve(requests)
}
