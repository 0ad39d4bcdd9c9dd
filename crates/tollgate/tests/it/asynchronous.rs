//! The asynchronous door: the same decisions, and errors where there are none.
// Proves: L1, D11

use std::{
    future::{Future, poll_fn},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    task::Poll,
    time::Duration,
};

use tollgate::{
    Action, Charge, Clock, Cost, Decision, ImmediateStore, ManualClock, MemoryStore, Observer,
    RateLimiter, Store, StoreError, Verdict,
};
use tollgate_testkit::{Rng, block_on};

/// A store that makes everybody wait for a turn before it answers.
struct Slow<C>(MemoryStore<C>);

impl<C: Clock> Store for Slow<C> {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        a_turn().await;
        Ok(self.0.charge_now(charges))
    }

    async fn inspect(&self, action: Action, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        a_turn().await;
        Ok(self.0.inspect_now(action, charges))
    }
}

fn a_turn() -> impl Future<Output = ()> + Send {
    let mut is_over = false;
    poll_fn(move |context| {
        if std::mem::replace(&mut is_over, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

/// What a client asks for.
#[derive(Clone, Copy)]
enum Ask {
    Check(Cost),
    Inspect(Action, Cost),
}

impl Ask {
    fn random(rng: &mut Rng) -> Self {
        let cost = Cost::new(rng.below(4));
        match rng.below(8) {
            0 => Self::Inspect(Action::Peek, cost),
            1 => Self::Inspect(Action::Refund, cost),
            2 => Self::Inspect(Action::Reset, Cost::ZERO),
            _ => Self::Check(cost),
        }
    }

    fn now<S: ImmediateStore>(self, limiter: &RateLimiter<S>, key: &str) -> Decision {
        match self {
            Self::Check(cost) => limiter.check(key, cost),
            Self::Inspect(Action::Peek, cost) => limiter.peek(key, cost),
            Self::Inspect(Action::Refund, cost) => limiter.refund(key, cost),
            Self::Inspect(..) => limiter.reset(key),
        }
    }

    fn later<S: Store>(self, limiter: &RateLimiter<S>, key: &str) -> Decision {
        let decision = match self {
            Self::Check(cost) => block_on(limiter.check_async(key, cost)),
            Self::Inspect(action, cost) => block_on(limiter.inspect_async(action, key, cost)),
        };
        decision.unwrap()
    }
}

/// Random requests on three limiters: asked at once, asked through the asynchronous door, and on a
/// store that has to wait.
#[test]
fn every_door_decides_alike() {
    let clock = ManualClock::start();
    let limits =
        || RateLimiter::builder().limits("4/s, 20/min, 50/h".parse().unwrap()).clock(clock.clone());
    let slow = Slow(MemoryStore::with_capacity(1_000, clock.clone()));
    let (at_once, door, slow) = (limits().build(), limits().build(), limits().store(slow).build());
    let mut rng = Rng::new(7);
    for step in 0..3_000_u32 {
        if step % 500 == 499 {
            let limits = ["9/s, 30/min", "4/s, 20/min, 50/h"][usize::from(step % 1_000 == 999)];
            let limits = limits.parse().unwrap();
            at_once.set_limits(&limits);
            door.set_limits(&limits);
            slow.set_limits(&limits);
        }
        clock.advance(Duration::from_micros(rng.below(700_000)));
        let key = ["a", "b", "c"][usize::try_from(rng.below(3)).unwrap()];
        let ask = Ask::random(&mut rng);
        let expected = ask.now(&at_once, key);
        assert_eq!(ask.later(&door, key), expected, "step {step}");
        assert_eq!(ask.later(&slow, key), expected, "step {step}");
    }
}

/// Nobody there.
struct Gone;

impl Store for Gone {
    async fn charge(&self, _: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        Err(StoreError::Timeout(Duration::from_millis(5)))
    }

    async fn inspect(&self, _: Action, _: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        Err(StoreError::Unreachable("no route".into()))
    }
}

#[derive(Default)]
struct Heard(AtomicU64);

impl Observer for Heard {
    fn decided(&self, _: &str, _: &Verdict) {
        self.0.fetch_add(1, Relaxed);
    }
}

#[test]
fn a_store_without_an_answer_is_an_error_and_no_decision() {
    let heard = Arc::new(Heard::default());
    let limiter = RateLimiter::builder()
        .limit("1/s".parse().unwrap())
        .store(Gone)
        .observer(Arc::clone(&heard))
        .build();
    let error = block_on(limiter.check_async("a", Cost::ONE)).unwrap_err();
    assert!(matches!(error, StoreError::Timeout(_)) && error.is_transient());
    let error = block_on(limiter.inspect_async(Action::Reset, "a", Cost::ZERO)).unwrap_err();
    assert_eq!(error.to_string(), "store is unreachable");
    assert_eq!(heard.0.load(Relaxed), 0, "nothing was decided");
}

#[test]
fn an_observer_hears_through_the_asynchronous_door() {
    let heard = Arc::new(Heard::default());
    let limiter =
        RateLimiter::builder().limit("1/h".parse().unwrap()).observer(Arc::clone(&heard)).build();
    assert!(block_on(limiter.check_async("a", Cost::ONE)).unwrap().is_allowed());
    assert!(!block_on(limiter.check_async("a", Cost::ONE)).unwrap().is_allowed());
    block_on(limiter.inspect_async(Action::Peek, "a", Cost::ONE)).unwrap();
    assert_eq!(heard.0.load(Relaxed), 2);
}

/// A future that a runtime with many threads can take.
#[test]
fn checks_can_move_between_threads() {
    fn assert_send<T: Send>(value: T) -> T {
        value
    }
    let limiter = Arc::new(RateLimiter::builder().limit("9/h".parse().unwrap()).build());
    let task = {
        let limiter = Arc::clone(&limiter);
        assert_send(async move { limiter.check_async("a", Cost::new(4)).await.unwrap() })
    };
    let elsewhere = std::thread::spawn(move || block_on(task)).join().unwrap();
    assert_eq!(elsewhere.remaining(), 5);
    assert_eq!(limiter.peek("a", Cost::ZERO).remaining(), 5);
}
