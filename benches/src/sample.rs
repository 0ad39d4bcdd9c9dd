//! Taking the time.

use std::{
    fs,
    hint::black_box,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use crate::{subject::Subject, workload::Request};

/// Requests between two looks at the clock: few enough that a piece during which another process had
/// the core stands apart from the median, enough that the look costs next to nothing.
const PIECE: usize = 1_024;

/// Serves pieces until the time is over, and tells of each how many checks it was and how long it
/// took.
fn serve<S: Subject>(
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
fn warm_up<S: Subject>(subject: &S, requests: &[Request], time: Duration) {
    serve(subject, requests, time / 4, |_, _| {});
}

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

const SLICE: Duration = Duration::from_millis(2);
/// A slice may be disturbed for this part of it.
const DISTURBED_MAX: f64 = 0.02;
/// On a busy machine, a turn takes at most this many times its time.
const PATIENCE: u32 = 3;

/// Both threads are in a slice for at least this part of it.
const TOGETHER_MIN: f64 = 0.9;

/// What one thread saw of one slice.
struct Slice {
    checks: usize,
    start: Instant,
    end: Instant,
    /// How long the thread was ready to run and was not let.
    waited: Duration,
}

/// Nanoseconds per check of each thread, a number for each slice that counts.
pub(crate) fn two_threads<S: Subject>(
    subject: &S,
    requests: &[Request],
    time: Duration,
) -> Vec<f64> {
    warm_up(subject, requests, time);
    let mut nanos = Vec::new();
    let wanted = time.div_duration_f64(SLICE) as usize;
    let start = Instant::now();
    while nanos.len() < wanted && start.elapsed() < time * PATIENCE {
        let slices = slices(subject, requests, wanted);
        nanos.extend(slices.filter_map(|(first, second)| first.nanos_beside(&second)));
    }
    nanos
}

impl Slice {
    fn nanos_beside(&self, other: &Self) -> Option<f64> {
        let is_disturbed = self.is_disturbed() || other.is_disturbed();
        if is_disturbed || self.share_beside(other) < TOGETHER_MIN {
            return None;
        }
        Some(2.0 / (self.checks_per_nano() + other.checks_per_nano()))
    }

    fn is_disturbed(&self) -> bool {
        self.waited.div_duration_f64(self.elapsed()) > DISTURBED_MAX
    }

    /// The time both were in it, as a part of the time either was.
    fn share_beside(&self, other: &Self) -> f64 {
        let both = (self.end.min(other.end)).saturating_duration_since(self.start.max(other.start));
        let either = self.end.max(other.end) - self.start.min(other.start);
        both.div_duration_f64(either)
    }

    fn checks_per_nano(&self) -> f64 {
        self.checks as f64 / self.elapsed().as_nanos() as f64
    }

    fn elapsed(&self) -> Duration {
        self.end - self.start
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
        let threads = [scope.spawn(|| take(0, first)), scope.spawn(|| take(1, second))];
        threads.map(|thread| thread.join().expect("a subject that does not panic"))
    });
    first.into_iter().zip(second)
}

fn slice<S: Subject>(subject: &S, requests: &[Request]) -> Slice {
    let mut checks = 0;
    let waited_before = waited();
    let start = Instant::now();
    serve(subject, requests, SLICE, |more, _| checks += more);
    let end = Instant::now();
    Slice { checks, start, end, waited: waited().saturating_sub(waited_before) }
}

/// How long this thread has been ready to run and was not let, so far.
fn waited() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').nth(1).and_then(|word| word.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{Duration, Instant, Slice};

    fn slice(base: Instant, start_micros: u64, waited_micros: u64) -> Slice {
        let start = base + Duration::from_micros(start_micros);
        Slice {
            checks: 2_000,
            start,
            end: start + Duration::from_millis(2),
            waited: Duration::from_micros(waited_micros),
        }
    }

    #[test]
    fn two_threads_at_the_same_time_count() {
        let base = Instant::now();
        let nanos = slice(base, 0, 0).nanos_beside(&slice(base, 50, 10));
        assert!(nanos.is_some_and(|nanos| (nanos - 1_000.0).abs() < 1.0));
    }

    #[test]
    fn one_after_the_other_does_not_count() {
        let base = Instant::now();
        let first = slice(base, 0, 0);
        assert_eq!(first.nanos_beside(&slice(base, 2_500, 0)), None);
        assert_eq!(first.nanos_beside(&slice(base, 400, 0)), None);
    }

    #[test]
    fn a_thread_that_waited_does_not_count() {
        let base = Instant::now();
        assert_eq!(slice(base, 0, 0).nanos_beside(&slice(base, 0, 100)), None);
    }
}
