//! Two threads at once: slices in which both really ran.
//!
//! While one of them waits for its core the other has the subject to itself, and looks faster than
//! two ever are. So a slice in which either had to wait does not count.

use std::{
    fs,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use super::pieces::{serve, warm_up};
use crate::{subject::Subject, workload::Request};

const SLICE: Duration = Duration::from_millis(2);
/// A slice may be disturbed for this part of it.
const DISTURBED_MAX: f64 = 0.02;
/// On a busy machine, a turn takes at most this many times its time.
const PATIENCE: u32 = 3;

/// What one thread saw of one slice.
struct Slice {
    checks_per_nano: f64,
    is_disturbed: bool,
}

/// Nanoseconds per check of each thread, a number for each slice; those of a busy machine if there
/// is nothing better.
pub(crate) fn two_threads<S: Subject>(
    subject: &S,
    requests: &[Request],
    time: Duration,
) -> Vec<f64> {
    warm_up(subject, requests, time);
    let (mut undisturbed, mut all) = (Vec::new(), Vec::new());
    let wanted = time.div_duration_f64(SLICE) as usize;
    let start = Instant::now();
    while undisturbed.len() < wanted && start.elapsed() < time * PATIENCE {
        for (first, second) in slices(subject, requests, wanted) {
            let nanos = 2.0 / (first.checks_per_nano + second.checks_per_nano);
            all.push(nanos);
            if !first.is_disturbed && !second.is_disturbed {
                undisturbed.push(nanos);
            }
        }
    }
    if undisturbed.is_empty() {
        all
    } else {
        undisturbed
    }
}

/// Both threads on one subject, each on a core of its own and on requests of its own.
fn slices<S: Subject>(
    subject: &S,
    requests: &[Request],
    count: usize,
) -> impl Iterator<Item = (Slice, Slice)> {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let barrier = Barrier::new(2);
    let take = |number: usize, requests| -> Vec<Slice> {
        let core = cores.get(number).copied();
        core.map(core_affinity::set_for_current);
        let slices = (0..count).map(|_| {
            barrier.wait();
            slice(subject, requests)
        });
        slices.collect()
    };
    let (first, second) = requests.split_at(requests.len() / 2);
    let [first, second] = thread::scope(|scope| {
        let threads = [
            scope.spawn(|| take(0, first)),
            scope.spawn(|| take(1, second)),
        ];
        threads.map(|thread| thread.join().expect("a subject that does not panic"))
    });
    first.into_iter().zip(second)
}

fn slice<S: Subject>(subject: &S, requests: &[Request]) -> Slice {
    let (mut checks, mut elapsed) = (0, Duration::ZERO);
    let waited_before = waited();
    serve(subject, requests, SLICE, |more_checks, longer| {
        checks += more_checks;
        elapsed += longer;
    });
    let waited = waited().saturating_sub(waited_before);
    Slice {
        checks_per_nano: checks as f64 / elapsed.as_nanos() as f64,
        is_disturbed: waited.div_duration_f64(elapsed) > DISTURBED_MAX,
    }
}

/// How long this thread has been ready to run and was not let, so far.
fn waited() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').nth(1).and_then(|word| word.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}
