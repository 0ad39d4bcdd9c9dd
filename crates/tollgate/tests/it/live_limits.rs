//! Limits that change under traffic.
// Proves: D14

use std::{
    sync::{
        Barrier,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use tollgate::{Cost, LimitSet, ManualClock, MemoryStore, RateLimiter};
use tollgate_testkit::limit;

type Limiter = RateLimiter<MemoryStore<ManualClock>>;

/// A limit by each algorithm, all of it free at once.
fn every_algorithm(amount: u64, period: &str) -> [LimitSet; 5] {
    [
        format!("{amount}/{period} burst {amount}"),
        format!("{amount}/{period} leaky_bucket burst {}", amount - 1),
        format!("{amount}/{period} fixed_window"),
        format!("{amount}/{period} sliding_window"),
        format!("{amount}/{period} sliding_log"),
    ]
    .map(|text| limit(&text).into())
}

/// A limiter on which `a` has used `filled` units.
fn limiter(limits: &LimitSet, filled: u64) -> (Limiter, ManualClock) {
    let clock = ManualClock::start();
    let limiter = RateLimiter::builder().limits(limits.clone()).clock(clock.clone()).build();
    assert!(limiter.check("a", Cost::new(filled)).is_allowed());
    (limiter, clock)
}

fn left(limiter: &Limiter) -> u64 {
    limiter.peek("a", Cost::ZERO).remaining()
}

fn parse(text: &str) -> LimitSet {
    text.parse().unwrap()
}

#[test]
fn a_raised_limit_frees_and_a_lowered_one_binds_at_once() {
    for old in &every_algorithm(10, "h") {
        for (raised, lowered) in every_algorithm(15, "h").iter().zip(&every_algorithm(4, "h")) {
            let (limiter, _) = limiter(old, 10);
            assert!(!limiter.is_allowed("a"));
            limiter.set_limits(raised);
            assert_eq!(left(&limiter), 5, "{old:?} to {raised:?}");
            assert!(limiter.check("a", Cost::new(5)).is_allowed());
            assert!(!limiter.is_allowed("a"));
            limiter.set_limits(lowered);
            assert_eq!(left(&limiter), 0, "{raised:?} to {lowered:?}");
            assert!(!limiter.is_allowed("a"));
            assert_eq!(limiter.check("b", Cost::new(4)).limit(), 4);
        }
    }
}

#[test]
fn another_period_carries_over_what_was_admitted_and_back() {
    for (minute, day) in every_algorithm(10, "min")
        .iter()
        .flat_map(|old| every_algorithm(10, "day").map(|new| (old.clone(), new)))
    {
        let (limiter, _) = limiter(&minute, 3);
        limiter.set_limits(&day);
        assert_eq!(left(&limiter), 7, "{minute:?} to {day:?}");
        assert!(limiter.check("a", Cost::new(2)).is_allowed());
        limiter.set_limits(&minute);
        assert_eq!(left(&limiter), 5, "{day:?} back to {minute:?}");
        assert!(limiter.check("a", Cost::new(5)).is_allowed());
        assert!(!limiter.is_allowed("a"));
        limiter.set_limits(&day);
        assert!(!limiter.is_allowed("a"), "nor by changing once more");
    }
}

/// Keys that nobody asked about between two changes are carried over both.
#[test]
fn idle_keys_are_carried_over_several_changes() {
    let (limiter, _) = limiter(&parse("10/h"), 6);
    for limits in ["10/2h", "10/3h", "10/day", "10/week"] {
        limiter.set_limits(&parse(limits));
    }
    assert_eq!(left(&limiter), 4);
    assert!(limiter.check("a", Cost::new(4)).is_allowed());
    limiter.set_limits(&parse("10/h"));
    assert!(!limiter.is_allowed("a"));
}

#[test]
fn what_is_carried_over_runs_out_with_the_new_period() {
    let (limiter, clock) = limiter(&parse("10/h"), 10);
    limiter.set_limits(&limit("10/min fixed_window").into());
    assert!(!limiter.is_allowed("a"));
    clock.advance(Duration::from_secs(60));
    assert_eq!(left(&limiter), 10);
}

#[test]
fn of_several_limits_each_keeps_its_own_count() {
    let (limiter, _) = limiter(&parse("10/s, 100/h"), 8);
    // The second stays, the hour becomes a day, the week is new.
    limiter.set_limits(&parse("20/s, 100/day, 1000/week"));
    let verdict = limiter.verdict("a", Cost::ONE);
    let remaining: Vec<u64> = verdict.decisions().iter().map(|it| it.remaining()).collect();
    assert_eq!(remaining, [11, 91, 999]);
    limiter.set_limits(&parse("100/day"));
    assert_eq!(left(&limiter), 91);
}

#[test]
fn a_change_reaches_a_batch_and_the_side_door() {
    let (limiter, _) = limiter(&parse("2/h"), 2);
    limiter.set_limits(&parse("3/h"));
    let decisions = limiter.check_batch(&[("a", Cost::ONE), ("a", Cost::ONE)]);
    let passed: Vec<bool> = decisions.iter().map(|it| it.is_allowed()).collect();
    assert_eq!(passed, [true, false]);
    limiter.set_limits(&parse("5/day"));
    assert_eq!(limiter.refund("a", Cost::ONE).remaining(), 3);
    assert_eq!(limiter.reset("a").remaining(), 5);
    limiter.set_limits(&parse("3/h"));
    assert_eq!(left(&limiter), 3, "a reset forgets the former period, too");
}

/// Whichever algorithm is in force when a request arrives, the budget of the period is one.
#[test]
fn changes_among_requests_neither_zero_nor_double() {
    const BUDGET: u64 = 500;
    let kinds = every_algorithm(BUDGET, "h");
    let (limiter, _) = limiter(&kinds[0], 0);
    let (start, admitted) = (Barrier::new(4), AtomicU64::new(0));
    thread::scope(|scope| {
        for client in 0..4 {
            let (kinds, limiter, start, admitted) = (&kinds, &limiter, &start, &admitted);
            scope.spawn(move || {
                start.wait();
                for limits in kinds.iter().cycle().skip(client).take(400) {
                    limiter.set_limits(limits);
                    let passed = (0..3).filter(|_| limiter.is_allowed("a")).count();
                    admitted.fetch_add(u64::try_from(passed).unwrap(), Relaxed);
                }
            });
        }
    });
    assert_eq!(admitted.into_inner(), BUDGET);
}
