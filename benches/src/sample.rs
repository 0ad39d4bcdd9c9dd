//! Taking the time.

use std::{
    hint::black_box,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use crate::{subject::Subject, workload::Request};

/// Requests between two looks at the clock: few enough that a piece during which another process had
/// the core stands apart from the median, enough that the look costs nothing.
const PIECE: usize = 4_096;

/// Nanoseconds per check, a number for each piece.
pub(crate) fn one_thread<S: Subject>(
    subject: &S,
    requests: &[Request],
    time: Duration,
) -> Vec<f64> {
    warm_up(subject, requests, time);
    run(subject, requests, time)
}

/// The same with two threads at once on the same subject, each on a core of its own and half an
/// order apart. What the first thread sees comes first, then what the second sees.
pub(crate) fn two_threads<S: Subject>(
    subject: &S,
    requests: &[Request],
    time: Duration,
) -> Vec<f64> {
    warm_up(subject, requests, time);
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let barrier = Barrier::new(2);
    let (first, second) = requests.split_at(requests.len() / 2);
    thread::scope(|scope| {
        let start = |number: usize, requests| {
            let (barrier, core) = (&barrier, cores.get(number).copied());
            scope.spawn(move || {
                core.map(core_affinity::set_for_current);
                barrier.wait();
                run(subject, requests, time)
            })
        };
        let threads = [start(0, first), start(1, second)];
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("a subject that does not panic"))
            .collect()
    })
}

/// Brings back what the subject before pushed out of the caches.
fn warm_up<S: Subject>(subject: &S, requests: &[Request], time: Duration) {
    black_box(run(subject, requests, time / 4));
}

fn run<S: Subject>(subject: &S, requests: &[Request], time: Duration) -> Vec<f64> {
    let mut pieces = Vec::new();
    let start = Instant::now();
    let mut before = start;
    loop {
        for piece in requests.chunks(PIECE) {
            black_box(subject.serve(piece));
            let after = Instant::now();
            pieces.push((after - before).as_nanos() as f64 / piece.len() as f64);
            before = after;
            if after - start >= time {
                return pieces;
            }
        }
    }
}
