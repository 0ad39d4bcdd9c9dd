//! Serving requests piece by piece.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use crate::{subject::Subject, workload::Request};

/// Requests between two looks at the clock: few enough that a piece during which another process had
/// the core stands apart from the median, enough that the look costs next to nothing.
const PIECE: usize = 1_024;

/// Serves pieces until the time is over, and tells of each how many checks it was and how long it
/// took.
pub(super) fn serve<S: Subject>(
    subject: &S,
    requests: &[Request],
    time: Duration,
    mut tell: impl FnMut(usize, Duration),
) {
    let start = Instant::now();
    let mut before = start;
    for piece in requests.chunks(PIECE).cycle() {
        black_box(subject.serve(piece));
        let after = Instant::now();
        tell(piece.len(), after - before);
        before = after;
        if after - start >= time {
            return;
        }
    }
}

/// Brings back what the subject before pushed out of the caches.
pub(super) fn warm_up<S: Subject>(subject: &S, requests: &[Request], time: Duration) {
    serve(subject, requests, time / 4, |_, _| {});
}
