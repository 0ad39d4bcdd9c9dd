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

/// Turns of two threads are cut into this many numbers.
const SLICES: u32 = 4;

/// Nanoseconds per check, a number for each piece.
pub(crate) fn one_thread<S: Subject>(
    subject: &S,
    requests: &[Request],
    time: Duration,
) -> Vec<f64> {
    warm_up(subject, requests, time);
    let mut pieces = Vec::new();
    run(subject, requests, time, |checks, elapsed| {
        pieces.push(elapsed.as_nanos() as f64 / checks as f64);
    });
    pieces
}

/// The same with two threads at once on one subject, each on a core of its own and on requests of
/// its own. Here all the time counts: a piece that ran while the other thread stood still would tell
/// nothing about two.
pub(crate) fn two_threads<S: Subject>(
    subject: &S,
    requests: &[Request],
    time: Duration,
) -> Vec<f64> {
    warm_up(subject, requests, time);
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let barrier = Barrier::new(2);
    let rates = |number: usize, requests| {
        cores
            .get(number)
            .copied()
            .map(core_affinity::set_for_current);
        let slices = (0..SLICES).map(|_| {
            barrier.wait();
            rate(subject, requests, time / SLICES)
        });
        slices.collect()
    };
    let (first, second) = requests.split_at(requests.len() / 2);
    let (first, second): (Vec<f64>, Vec<f64>) = thread::scope(|scope| {
        let threads = [
            scope.spawn(|| rates(0, first)),
            scope.spawn(|| rates(1, second)),
        ];
        threads
            .map(|thread| thread.join().expect("a subject that does not panic"))
            .into()
    });
    let both = first.iter().zip(&second);
    both.map(|(first, second)| 2.0 / (first + second)).collect()
}

/// Brings back what the subject before pushed out of the caches.
fn warm_up<S: Subject>(subject: &S, requests: &[Request], time: Duration) {
    run(subject, requests, time / 4, |_, _| {});
}

/// Checks per nanosecond.
fn rate<S: Subject>(subject: &S, requests: &[Request], time: Duration) -> f64 {
    let (mut all, mut total) = (0, Duration::ZERO);
    run(subject, requests, time, |checks, elapsed| {
        all += checks;
        total += elapsed;
    });
    all as f64 / total.as_nanos() as f64
}

/// Serves pieces until the time is over, and tells of each how many checks it was and how long it
/// took.
fn run<S: Subject>(
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
