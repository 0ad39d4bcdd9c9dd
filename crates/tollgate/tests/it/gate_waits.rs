//! A gate over counters that must be waited for.
// Proves: C6

use std::{
    future::Future,
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use tollgate::{
    Action, Charge, Gate, ImmediateStore as _, ManualClock, MemoryStore, OnFailure, Part, Spend,
    Store, StoreError, Unanswered, Verdict,
    rules::{Live, Query},
};

/// A store across a network: nobody is answered before it is let go, and then by a policy if it is away.
struct Remote {
    near: MemoryStore<ManualClock>,
    asked: AtomicUsize,
    is_open: Mutex<bool>,
    waiting: Mutex<Vec<Waker>>,
    away: Option<OnFailure>,
}

impl Remote {
    async fn reach(&self) {
        self.asked.fetch_add(1, SeqCst);
        std::future::poll_fn(|context| match *self.is_open.lock().unwrap() {
            true => Poll::Ready(()),
            false => {
                self.waiting.lock().unwrap().push(context.waker().clone());
                Poll::Pending
            }
        })
        .await;
    }

    fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.waiting.lock().unwrap().drain(..).for_each(Waker::wake);
    }
}

impl Store for Remote {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        self.reach().await;
        let verdict = self.near.charge_now(charges);
        Ok(match self.away {
            None => verdict,
            Some(policy) => verdict.by_policy(policy),
        })
    }

    async fn inspect(&self, action: Action, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        self.reach().await;
        match self.away {
            None => Ok(self.near.inspect_now(action, charges)),
            Some(_) => Err(StoreError::Timeout(Duration::from_millis(5))),
        }
    }
}

fn gate(away: Option<OnFailure>) -> Gate<Remote, ManualClock> {
    let live = Arc::new(Live::new());
    let rules = "version: 1\nrules: [{ name: daily, key: [user], limit: 2/day }]";
    live.publish(&rules.parse().unwrap(), 1);
    let clock = ManualClock::start();
    let remote = Remote {
        near: MemoryStore::new(clock.clone()),
        asked: AtomicUsize::new(0),
        is_open: Mutex::new(false),
        waiting: Mutex::default(),
        away,
    };
    Gate::new(live, remote, clock)
}

fn of(user: &str) -> Query<'_> {
    Query::new().user(user).unwrap()
}

/// Polls once in vain, lets the store go, and polls to the end.
fn waited<T>(gate: &Gate<Remote, ManualClock>, future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let context = &mut Context::from_waker(Waker::noop());
    assert!(future.as_mut().poll(context).is_pending(), "it has to be waited for");
    gate.store().open();
    match future.poll(context) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("nothing holds it up any more"),
    }
}

#[test]
fn all_are_put_to_the_store_at_once_and_answered_in_order() {
    let gate = gate(None);
    let users: Vec<String> = (0..100).map(|place| format!("user-{}", place % 40)).collect();
    let queries: Vec<Query<'_>> = users.iter().map(|user| of(user)).collect();
    let mut allowed = Vec::new();
    {
        let mut all = pin!(gate.check_all_async(&queries, |_, ruling| {
            allowed.push(ruling.unwrap().is_allowed());
        }));
        let context = &mut Context::from_waker(Waker::noop());
        assert!(all.as_mut().poll(context).is_pending());
        assert_eq!(gate.store().asked.load(SeqCst), 64, "so many are under way");
        gate.store().open();
        assert!(all.poll(context).is_ready());
    }
    let expected: Vec<bool> = (0..100).map(|place| place < 80).collect();
    assert_eq!(allowed, expected, "two of each pass");
}

#[test]
fn rules_that_change_meanwhile_do_not_touch_what_is_under_way() {
    let gate = gate(None);
    let query = of("alice");
    let mut check = pin!(gate.check_async(&query));
    let context = &mut Context::from_waker(Waker::noop());
    assert!(check.as_mut().poll(context).is_pending());
    gate.live().publish(&"version: 1\nrules: []".parse().unwrap(), 2);
    gate.store().open();
    let Poll::Ready(ruling) = check.poll(context) else { panic!("nothing holds it up any more") };
    assert_eq!(ruling.unwrap().revision(), 1);
}

#[test]
fn what_a_policy_decided_is_said_of_every_part() {
    let gate = gate(Some(OnFailure::Open));
    let part = |user, spend| Part { query: of(user), spend };
    let parts =
        [part("alice", Spend::Look), part("bob", Spend::Charge), part("carol", Spend::Charge)];
    let decided = gate.check_together_async(&parts, |all| {
        let said = all.iter().map(|(_, ruling)| (ruling.is_allowed(), ruling.fallback()));
        said.collect::<Vec<_>>()
    });
    let said = waited(&gate, decided).unwrap();
    assert_eq!(said, [(true, Some(OnFailure::Open)); 3]);
}

#[test]
fn counters_that_cannot_be_looked_at_are_an_error() {
    let gate = gate(Some(OnFailure::Local));
    let query = of("alice");
    let looked = waited(&gate, gate.inspect_async(Action::Reset, &query));
    assert!(matches!(looked, Err(Unanswered::Store(StoreError::Timeout(_)))));
    let nothing = Gate::new(
        Arc::new(Live::new()),
        MemoryStore::new(ManualClock::start()),
        ManualClock::start(),
    );
    let mut asked = pin!(nothing.inspect_rule_async(Action::Peek, "daily", &query));
    let context = &mut Context::from_waker(Waker::noop());
    let Poll::Ready(Err(Unanswered::NoSnapshot)) = asked.as_mut().poll(context) else {
        panic!("no rules, no answer")
    };
}
