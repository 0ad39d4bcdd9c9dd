//! A limiter made of parts the user brought: clock, store, algorithm, observer.
// Proves: L1

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use tollgate::{
    Action, Algorithm, AlgorithmName, Answer, Charge, Clock, Cost, CustomState, ImmediateStore,
    Limit, ManualClock, Micros, Now, Observer, Outcome, RateLimiter, Timestamp, Verdict,
};

/// Seconds since the epoch, as somebody else counts them.
#[derive(Default)]
struct Ship(AtomicU64);

impl Clock for Ship {
    fn now(&self) -> Now {
        Now::at(Timestamp::from_secs(self.0.load(Relaxed)))
    }
}

#[test]
fn a_clock_of_ones_own_decides_when() {
    let clock = Arc::new(Ship::default());
    let limiter = RateLimiter::builder()
        .limit("1/20s".parse::<Limit>().unwrap().with_burst(1).unwrap())
        .clock(Arc::clone(&clock))
        .build();
    let passed = [0, 10, 19, 20, 30, 40].map(|second| {
        clock.0.store(second, Relaxed);
        limiter.is_allowed("a")
    });
    assert_eq!(passed, [true, false, false, true, false, true]);
}

/// Seven seconds pass whenever somebody looks.
#[derive(Default)]
struct Hasty(AtomicU64);

impl Clock for Hasty {
    fn now(&self) -> Now {
        Now::at(Timestamp::from_secs(self.0.fetch_add(7, Relaxed)))
    }
}

#[test]
fn all_limits_of_a_request_see_one_moment() {
    let periods = ["10s", "15s", "18s"];
    let limits = periods.map(|period| {
        let limit: Limit = format!("1000/{period}").parse().unwrap();
        limit.with_algorithm(AlgorithmName::FixedWindow).unwrap()
    });
    let limiter = RateLimiter::builder()
        .limits(tollgate::LimitSet::new(limits.clone()).unwrap())
        .clock(Hasty::default())
        .build();
    for _ in 0..100 {
        let verdict = limiter.verdict("a", Cost::ONE);
        for (decision, limit) in verdict.decisions().iter().zip(&limits) {
            let resets_at = verdict.now().wall.saturating_add(decision.reset_after().into());
            let into_window = resets_at.as_micros() % limit.period().length().get();
            assert_eq!(into_window, 0, "{limit}: {verdict:?}");
        }
    }
}

/// Counts units by key and period, forever.
#[derive(Default)]
struct Forever {
    used: Mutex<HashMap<(Vec<u8>, u64), u64>>,
    requests: AtomicU64,
}

impl Forever {
    fn answer(charge: &Charge<'_>, used: u64) -> Answer {
        let fits = used + charge.cost.get() <= charge.limit.capacity();
        let outcome = match fits {
            true => Outcome::ALLOW,
            false => Outcome::Deny { retry_after: None },
        };
        let used = used + if fits { charge.cost.get() } else { 0 };
        Answer { outcome, used, reset_after: Micros::ZERO }
    }
}

impl ImmediateStore for Forever {
    fn charge_now(&self, charges: &[Charge<'_>]) -> Verdict {
        self.requests.fetch_add(1, Relaxed);
        let mut counters = self.used.lock().unwrap();
        let id = |charge: &Charge<'_>| (charge.key.values().to_vec(), charge.limit.period().id());
        let used = |charge| counters.get(&id(charge)).copied().unwrap_or(0);
        let answers: Vec<Answer> = charges.iter().map(|one| Self::answer(one, used(one))).collect();
        let decisions =
            charges.iter().zip(&answers).map(|(charge, answer)| charge.limit.decide(*answer));
        let verdict = Verdict::of(decisions, Now::default());
        if verdict.is_allowed() {
            for (charge, answer) in charges.iter().zip(&answers) {
                counters.insert(id(charge), answer.used);
            }
        }
        verdict
    }

    fn inspect_now(&self, action: Action, charges: &[Charge<'_>]) -> Verdict {
        if action == Action::Reset {
            self.used.lock().unwrap().clear();
        }
        let looks: Vec<Charge<'_>> = charges.iter().map(|it| it.with_cost(Cost::ZERO)).collect();
        self.charge_now(&looks)
    }
}

#[test]
fn a_store_of_ones_own_is_asked_once_a_request() {
    let limiter = RateLimiter::builder()
        .limits("3/s, 2/h".parse().unwrap())
        .store(Forever::default())
        .build();
    assert!(limiter.is_allowed("a") && limiter.is_allowed("a"));
    let denied = limiter.check("a", Cost::ONE);
    assert!(!denied.is_allowed());
    assert_eq!(denied.limit(), 2, "the hour binds");
    assert_eq!(denied.retry_after(), None);
    assert_eq!(limiter.store().requests.load(Relaxed), 3);
    assert!(limiter.is_allowed("b"));
    limiter.reset("a");
    assert!(limiter.is_allowed("a"));
}

#[test]
fn a_store_without_a_batch_of_its_own_answers_one_by_one() {
    let limiter =
        RateLimiter::builder().limit("1/h".parse().unwrap()).store(Forever::default()).build();
    let decisions = limiter.check_batch(&[("a", Cost::ONE), ("a", Cost::ONE), ("b", Cost::ONE)]);
    let passed: Vec<bool> = decisions.iter().map(|one| one.is_allowed()).collect();
    assert_eq!(passed, [true, false, true]);
}

/// So many units, ever.
#[derive(Debug)]
struct Ever(u64);

impl Algorithm for Ever {
    type State = CustomState;

    fn capacity(&self) -> u64 {
        self.0
    }

    fn fresh(&self, _: Now) -> CustomState {
        [0, 0]
    }

    fn step(&self, [used, _]: CustomState, _: Now, cost: Cost) -> (Answer, CustomState) {
        let fits = cost.get() <= self.0.saturating_sub(used);
        let (outcome, used) = match fits || cost.is_zero() {
            true => (Outcome::ALLOW, used + cost.get()),
            false => (Outcome::Deny { retry_after: None }, used),
        };
        let reset_after = Micros::MAX;
        (Answer { outcome, used, reset_after }, [used, 0])
    }

    fn used(&self, state: &CustomState, _: Now) -> u64 {
        state[0]
    }

    fn admitted(&self, used: u64, _: Now) -> CustomState {
        [used, 0]
    }

    fn refund(&self, [used, _]: CustomState, _: Now, cost: Cost) -> CustomState {
        [used.saturating_sub(cost.get()), 0]
    }

    fn is_fresh(&self, state: &CustomState, _: Now) -> bool {
        state[0] == 0
    }
}

#[test]
fn an_algorithm_of_ones_own_counts_among_the_others() {
    let day: Limit = "5/day".parse().unwrap();
    let ever = "5/month".parse::<Limit>().unwrap().with_custom(Arc::new(Ever(7)));
    assert_eq!((ever.algorithm(), ever.capacity()), (AlgorithmName::Custom, 7));
    let clock = ManualClock::start();
    let limits = tollgate::LimitSet::new([day, ever]).unwrap();
    let limiter = RateLimiter::builder().limits(limits).clock(clock.clone()).build();
    let passed = |requests: u64| (0..requests).filter(|_| limiter.is_allowed("a")).count();
    assert_eq!(passed(9), 5, "the day binds");
    clock.advance(Duration::from_secs(2 * 86_400));
    assert_eq!(passed(9), 2, "and now the custom one does");
    assert_eq!(limiter.check("a", Cost::ONE).retry_after(), None);
    assert_eq!(limiter.refund("a", Cost::ONE).remaining(), 1);
    assert!(limiter.is_allowed("a") && !limiter.is_allowed("a"));
    assert!(limiter.is_allowed("b"));
}

/// What an observer heard.
#[derive(Default)]
struct Diary(Mutex<Vec<(String, bool, usize)>>);

impl Observer for Diary {
    fn decided(&self, key: &str, verdict: &Verdict) {
        let line = (key.to_owned(), verdict.is_allowed(), verdict.decisions().len());
        self.0.lock().unwrap().push(line);
    }
}

#[test]
fn an_observer_is_told_of_every_decision_and_of_nothing_else() {
    let diary = Arc::new(Diary::default());
    let limiter = RateLimiter::builder()
        .limits("1/s, 1/h".parse().unwrap())
        .observer(Arc::clone(&diary))
        .build();
    limiter.is_allowed("a");
    limiter.check("a", Cost::new(2));
    limiter.verdict("b", Cost::ZERO);
    limiter.peek("a", Cost::ONE);
    limiter.refund("a", Cost::ONE);
    limiter.reset("a");
    let expected = [("a", true), ("a", false), ("b", true)];
    let expected = expected.map(|(key, is_allowed)| (key.to_owned(), is_allowed, 2));
    assert_eq!(*diary.0.lock().unwrap(), expected);
}

#[test]
fn an_observer_changes_no_decision() {
    let clock = ManualClock::start();
    let build =
        || RateLimiter::builder().limits("3/s, 7/min".parse().unwrap()).clock(clock.clone());
    let (alone, observed) = (build().build(), build().observer(Diary::default()).build());
    for step in 0..200_u64 {
        clock.advance(Duration::from_millis(step % 7 * 90));
        let key = ["a", "b", "c"][usize::try_from(step % 3).unwrap()];
        assert_eq!(alone.is_allowed(key), observed.is_allowed(key), "{step}");
        let cost = Cost::new(step % 4);
        assert_eq!(alone.check(key, cost), observed.check(key, cost), "{step}");
    }
}
