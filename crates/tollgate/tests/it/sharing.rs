//! One limiter, many threads.
// Proves: L1

use std::{
    sync::{
        Arc, Barrier, LazyLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

use tollgate::{
    Builder, Charge, Cost, Decision, InMemory, Limit, LimitSet, LimitsMissing, ManualClock,
    MemoryStore, RateLimiter, Stats, SystemClock, Verdict,
};
use tollgate_testkit::limit;

/// What a program keeps in a `static`, behind an `Arc` or in the state of a web framework must be all
/// of this. It is checked when the test is compiled.
const fn is_shareable<T: Send + Sync + 'static>() {}

const _: () = {
    is_shareable::<RateLimiter>();
    is_shareable::<RateLimiter<MemoryStore<ManualClock>>>();
    is_shareable::<Arc<RateLimiter>>();
    is_shareable::<Builder<LimitsMissing, InMemory<SystemClock>, ()>>();
    is_shareable::<(Limit, LimitSet, Decision, Verdict, Stats, ManualClock)>();
    is_shareable::<Charge<'static>>();
};

static LOGINS: LazyLock<RateLimiter> = LazyLock::new(|| {
    let limit = "3/day".parse().unwrap();
    RateLimiter::builder().limit(limit).capacity(1_000).build()
});

#[test]
fn a_static_limiter_serves_every_thread() {
    let passed = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let here = (0..10).filter(|_| LOGINS.is_allowed("a")).count();
                passed.fetch_add(here, Relaxed);
            });
        }
    });
    assert_eq!(passed.into_inner(), 3);
    assert_eq!(LOGINS.stats().keys, 1);
}

const THREADS: usize = 50;
const REQUESTS: usize = 20;

/// A thousand requests at the same moment; how many of them passed.
fn stampede(request: impl Fn() -> usize + Sync) -> usize {
    let (start, passed) = (Barrier::new(THREADS), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                start.wait();
                let here: usize = (0..REQUESTS).map(|_| request()).sum();
                passed.fetch_add(here, Relaxed);
            });
        }
    });
    passed.into_inner()
}

const EVERY_ALGORITHM: [&str; 5] = [
    "10/day burst 10",
    "10/day leaky_bucket burst 9",
    "10/day fixed_window",
    "10/day sliding_window",
    "10/day sliding_log",
];

// Proves: D3
#[test]
fn a_thousand_requests_on_a_budget_of_ten_pass_ten() {
    for text in EVERY_ALGORITHM {
        let limiter = RateLimiter::builder().limit(limit(text)).clock(ManualClock::start()).build();
        let passed = stampede(|| usize::from(limiter.is_allowed("one")));
        assert_eq!(passed, 10, "{text}");
        let passed = stampede(|| usize::from(limiter.check("two", Cost::ONE).is_allowed()));
        assert_eq!(passed, 10, "{text}");
        let both = [("three", Cost::ONE), ("four", Cost::ONE)];
        let passed = stampede(|| {
            let decisions = limiter.check_batch(&both);
            decisions.iter().filter(|it| it.is_allowed()).count()
        });
        assert_eq!(passed, 20, "{text}");
    }
}

// Proves: D3, D4, D8
#[test]
fn so_they_do_under_several_limits() {
    for text in EVERY_ALGORITHM {
        let limits = [limit("1000/s"), limit(text), limit("100/week")];
        let limiter = RateLimiter::builder()
            .limits(LimitSet::new(limits).unwrap())
            .clock(ManualClock::start())
            .build();
        let passed = stampede(|| usize::from(limiter.is_allowed("a")));
        assert_eq!(passed, 10, "{text}");
        let look = limiter.verdict("a", Cost::ZERO);
        let left: Vec<u64> = look.decisions().iter().map(|it| it.remaining()).collect();
        assert_eq!(left, [990, 0, 90], "denied requests charged nothing: {text}");
    }
}
