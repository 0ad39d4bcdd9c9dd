//! One thread: the time of every piece, so that the median forgets those that were interrupted.

use std::time::Duration;

use super::pieces::{serve, warm_up};
use crate::{subject::Subject, workload::Request};

/// Nanoseconds per check, a number for each piece.
pub(crate) fn one_thread<S: Subject>(
    subject: &S,
    requests: &[Request],
    time: Duration,
) -> Vec<f64> {
    warm_up(subject, requests, time);
    let mut pieces = Vec::new();
    serve(subject, requests, time, |checks, elapsed| {
        pieces.push(elapsed.as_nanos() as f64 / checks as f64);
    });
    pieces
}
