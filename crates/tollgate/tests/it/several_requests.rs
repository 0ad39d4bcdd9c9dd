//! Several requests in one call, several limits on one key, and the side door.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tollgate::{
    Band, Bands, Cost, Decision, Limit, LimitSet, ManualClock, MemoryStore, Observer, RateLimiter,
    Verdict,
};
use tollgate_testkit::{Rng, limit};

#[derive(Default)]
struct Diary(Mutex<Vec<(String, Decision)>>);

impl Observer for Diary {
    fn decided(&self, key: &str, verdict: &Verdict) {
        let line = (key.to_owned(), *verdict.binding());
        self.0.lock().unwrap().push(line);
    }
}

fn on_a_clock(limit: Limit) -> RateLimiter<MemoryStore<ManualClock>> {
    let clock = ManualClock::start();
    RateLimiter::builder().limit(limit).clock(clock).build()
}

/// Two limiters alike, one asked in batches and one request by request: the same decisions, and the
/// observers hear the same story.
// Proves: D11, L1
#[test]
fn a_batch_decides_like_one_by_one() {
    for limits in ["5/s", "3/s, 20/min, 100/h"] {
        let limits: LimitSet = limits.parse().unwrap();
        let clock = ManualClock::start();
        let diaries = [Arc::new(Diary::default()), Arc::new(Diary::default())];
        let [batched, single] = diaries.clone().map(|diary| {
            RateLimiter::builder()
                .limits(limits.clone())
                .clock(clock.clone())
                .observer(diary)
                .build()
        });
        let mut rng = Rng::new(11);
        for size in 0..100 {
            clock.advance(Duration::from_micros(rng.below(500_000)));
            let keys: Vec<String> = (0..size).map(|_| rng.below(9).to_string()).collect();
            let requests: Vec<(&str, Cost)> =
                keys.iter().map(|key| (key.as_str(), Cost::new(rng.below(4)))).collect();
            let together = batched.check_batch(&requests);
            let each = requests.iter().map(|(key, cost)| single.check(key, *cost));
            assert_eq!(together, each.collect::<Vec<_>>(), "{limits:?}");
        }
        let [batched, single] = diaries.map(|diary| std::mem::take(&mut *diary.0.lock().unwrap()));
        assert!(batched.len() > 4_000 && batched == single, "{limits:?}");
    }
}

// Proves: D11
#[test]
fn an_empty_batch_is_no_request() {
    let limiter = RateLimiter::builder().limit(limit("1/h")).build();
    assert!(limiter.check_batch(&[]).is_empty());
}

// Proves: D4, D8
#[test]
fn several_limits_are_charged_together_or_not_at_all() {
    let clock = ManualClock::start();
    let limiter =
        RateLimiter::builder().limits("2/s, 3/min".parse().unwrap()).clock(clock.clone()).build();
    let remaining = || -> Vec<u64> {
        let look = limiter.verdict("a", Cost::ZERO);
        look.decisions().iter().map(Decision::remaining).collect()
    };
    assert!(limiter.is_allowed("a") && limiter.is_allowed("a"));
    assert_eq!(remaining(), [0, 1]);
    let verdict = limiter.verdict("a", Cost::ONE);
    assert!(!verdict.is_allowed() && verdict.decisions().len() == 2);
    assert_eq!(verdict.binding_index(), Some(0), "the second is used up");
    assert_eq!(remaining(), [0, 1], "and the minute was not charged");

    clock.advance(Duration::from_secs(2));
    assert!(limiter.is_allowed("a"));
    let denied = limiter.check("a", Cost::ONE);
    assert_eq!(denied.limit(), 3, "now the minute binds");
    assert!(denied.retry_after().unwrap() > Duration::from_secs(1));
    assert_eq!(remaining(), [1, 0], "and the second was not charged");
}

// Proves: D8
#[test]
fn limits_of_every_algorithm_can_stand_together() {
    let limits = LimitSet::new([
        limit("9/s burst 9"),
        limit("8/min leaky_bucket burst 7"),
        limit("7/h fixed_window"),
        limit("6/day sliding_window"),
        limit("5/week sliding_log"),
    ]);
    let limiter =
        RateLimiter::builder().limits(limits.unwrap()).clock(ManualClock::start()).build();
    let passed = (0..20).filter(|_| limiter.is_allowed("a")).count();
    assert_eq!(passed, 5);
    let look = limiter.verdict("a", Cost::ZERO);
    let used: Vec<u64> = look.decisions().iter().map(|it| it.limit() - it.remaining()).collect();
    assert_eq!(used, [5; 5]);
}

// Proves: D11, D5
#[test]
fn the_side_door_spends_nothing_and_gives_back_no_more_than_was_taken() {
    let limiter = on_a_clock(limit("10/day"));
    assert!(limiter.check("a", Cost::new(4)).is_allowed());
    for _ in 0..3 {
        assert!(limiter.peek("a", Cost::new(6)).is_allowed());
        assert!(!limiter.peek("a", Cost::new(7)).is_allowed());
    }
    assert_eq!(limiter.check("a", Cost::ZERO).remaining(), 6);
    assert_eq!(limiter.refund("a", Cost::ONE).remaining(), 7);
    assert_eq!(limiter.refund("a", Cost::new(100)).remaining(), 10);
    assert_eq!(limiter.refund("nobody", Cost::new(100)).remaining(), 10);
    let never = limiter.check("a", Cost::new(11));
    assert!(!never.is_allowed() && never.retry_after().is_none());
    assert!(limiter.check("a", Cost::new(10)).is_allowed());
    assert_eq!(limiter.reset("a").remaining(), 10);
    assert_eq!(limiter.reset("a").remaining(), 10);
}

// Proves: D10
#[test]
fn bands_say_how_near_the_limit_a_request_came() {
    let soft: Limit = limit("10/day");
    let soft = soft.with_bands(Bands::new(80, 120).unwrap()).unwrap();
    let limiter = on_a_clock(soft);
    let bands: Vec<Band> = (0..14).map(|_| limiter.check("a", Cost::ONE).band()).collect();
    assert!(bands.iter().take(7).all(|band| *band == Band::Normal));
    assert!(bands.iter().skip(7).take(3).all(|band| *band == Band::Warn));
    assert!(bands.iter().skip(10).take(2).all(|band| *band == Band::Soft));
    assert!(bands.iter().skip(12).all(|band| *band == Band::Denied));
}
