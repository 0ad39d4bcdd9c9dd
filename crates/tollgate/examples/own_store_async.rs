//! A store of your own that has to ask somebody, and an executor of twenty lines to drive it.
//!
//! The counters here live with a thread, where a real store would talk to a server. What matters is
//! the shape: one message for all charges of a request, one answer, and an error if there is none.
//!
//! Run it with `cargo run --package tollgate --example own_store_async`.

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::{
    collections::HashMap,
    error::Error,
    future::{Future, poll_fn},
    pin::pin,
    sync::{Arc, Mutex, PoisonError, mpsc},
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use tollgate::State;
use tollgate::{
    Action, Charge, Clock, Cost, Decision, Limit, Now, Period, RateLimiter, RuleId, Store,
    StoreError, SystemClock, Verdict,
};

fn main() -> Result<(), Box<dyn Error>> {
    let (store, keeper) = RemoteStore::start();
    let limiter = RateLimiter::builder().limits("3/h, 4/day".parse()?).store(store).build();

    let passed = block_on(async {
        let mut passed = 0;
        for _ in 0..5 {
            let decision = limiter.check_async("user:42", Cost::ONE).await?;
            passed += u32::from(decision.is_allowed());
        }
        Ok::<u32, StoreError>(passed)
    })?;
    println!("{passed} of 5 passed");
    assert_eq!(passed, 3);

    let look = block_on(limiter.inspect_async(Action::Peek, "user:42", Cost::ONE))?;
    assert!(!look.is_allowed());
    block_on(limiter.inspect_async(Action::Reset, "user:42", Cost::ZERO))?;
    assert!(block_on(limiter.check_async("user:42", Cost::ONE))?.is_allowed());

    // The other side goes away. That is not a denial: whether to serve or to refuse without a limiter
    // is for the program to say, here and not in the store.
    limiter.store().stop();
    keeper.join().map_err(|_| "the keeper panicked")?;
    match block_on(limiter.check_async("user:42", Cost::ONE)) {
        Ok(_) => return Err("nobody is left to answer".into()),
        Err(error) => {
            println!("no answer: {error}; serving anyway");
            assert!(error.is_transient());
        }
    }
    Ok(())
}

/// The near side: sends each request away and waits for the answer.
struct RemoteStore {
    keeper: Mutex<Option<mpsc::Sender<Request>>>,
}

/// A message. It owns everything, since it leaves this thread.
struct Request {
    action: Option<Action>,
    asks: Vec<Ask>,
    reply: Arc<Reply>,
}

/// A charge without its borrows: whose counter, by which limit, how much.
struct Ask {
    id: CounterId,
    limit: Limit,
    cost: Cost,
}

/// A counter is known by its rule, its key and the period of its limit.
type CounterId = (RuleId, Vec<u8>, Period);

impl RemoteStore {
    fn start() -> (Self, thread::JoinHandle<()>) {
        let (sender, receiver) = mpsc::channel::<Request>();
        let keeper = thread::spawn(move || {
            let mut keeper = Keeper::default();
            for request in receiver {
                let verdict = keeper.answer(&request, SystemClock.now());
                request.reply.put(verdict);
            }
        });
        let keeper_door = Mutex::new(Some(sender));
        (Self { keeper: keeper_door }, keeper)
    }

    fn stop(&self) {
        lock(&self.keeper).take();
    }

    async fn ask(
        &self,
        action: Option<Action>,
        charges: &[Charge<'_>],
    ) -> Result<Verdict, StoreError> {
        let asks = charges.iter().map(|charge| Ask {
            id: (charge.key.rule(), charge.key.values().to_vec(), charge.limit.period()),
            limit: charge.limit.clone(),
            cost: charge.cost,
        });
        let reply = Arc::new(Reply::default());
        let request = Request { action, asks: asks.collect(), reply: Arc::clone(&reply) };
        let is_sent = match &*lock(&self.keeper) {
            Some(keeper) => keeper.send(request).is_ok(),
            None => false,
        };
        if !is_sent {
            return Err(StoreError::Unreachable("the keeper is gone".into()));
        }
        // A real store gives up after a while, with `StoreError::Timeout`.
        Ok(poll_fn(|context| reply.poll(context)).await)
    }
}

impl Store for RemoteStore {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        self.ask(None, charges).await
    }

    async fn inspect(&self, action: Action, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        self.ask(Some(action), charges).await
    }
}

/// The far side: owns the counters, so one request at a time is all it takes to be atomic.
#[derive(Default)]
struct Keeper {
    counters: HashMap<CounterId, (Limit, State)>,
}

impl Keeper {
    fn answer(&mut self, request: &Request, now: Now) -> Verdict {
        match request.action {
            None => self.charge(&request.asks, now),
            Some(Action::Peek) => self.decide(&request.asks, now).0,
            Some(Action::Refund) => {
                for ask in &request.asks {
                    let state = ask.limit.law().refund(self.state(ask, now), now, ask.cost);
                    self.keep(ask, state);
                }
                self.look(&request.asks, now)
            }
            Some(_) => {
                for ask in &request.asks {
                    self.counters.remove(&ask.id);
                }
                self.look(&request.asks, now)
            }
        }
    }

    /// All or none: states are kept only if every limit lets the request pass.
    fn charge(&mut self, asks: &[Ask], now: Now) -> Verdict {
        let (verdict, states) = self.decide(asks, now);
        if verdict.is_allowed() {
            for (ask, state) in asks.iter().zip(states) {
                self.keep(ask, state);
            }
        }
        verdict
    }

    fn decide(&self, asks: &[Ask], now: Now) -> (Verdict, Vec<State>) {
        let step = |ask: &Ask, cost| ask.limit.step(self.state(ask, now), now, cost);
        let steps = asks.iter().map(|ask| step(ask, ask.cost));
        let (mut decisions, states): (Vec<Decision>, Vec<State>) = steps.unzip();
        if !decisions.iter().all(Decision::is_allowed) {
            // Nothing is charged, so those that would have passed say what they hold.
            for (decision, ask) in decisions.iter_mut().zip(asks) {
                if decision.is_allowed() {
                    *decision = step(ask, Cost::ZERO).0;
                }
            }
        }
        (Verdict::of(decisions, now), states)
    }

    fn look(&self, asks: &[Ask], now: Now) -> Verdict {
        let looks = asks.iter().map(|ask| ask.limit.step(self.state(ask, now), now, Cost::ZERO).0);
        Verdict::of(looks, now)
    }

    /// The state of a counter as the limit now in force counts it: limits may have changed since.
    fn state(&self, ask: &Ask, now: Now) -> State {
        match self.counters.get(&ask.id) {
            None => ask.limit.fresh(now),
            Some((former, state)) => ask.limit.law().adopt(former.law(), state.clone(), now),
        }
    }

    fn keep(&mut self, ask: &Ask, state: State) {
        self.counters.insert(ask.id.clone(), (ask.limit.clone(), state));
    }
}

/// Where the far side puts its answer, and who wants to know.
#[derive(Default)]
struct Reply(Mutex<(Option<Verdict>, Option<Waker>)>);

impl Reply {
    fn put(&self, verdict: Verdict) {
        let mut slot = lock(&self.0);
        slot.0 = Some(verdict);
        if let Some(waker) = slot.1.take() {
            waker.wake();
        }
    }

    fn poll(&self, context: &Context<'_>) -> Poll<Verdict> {
        let mut slot = lock(&self.0);
        if let Some(verdict) = slot.0.take() {
            return Poll::Ready(verdict);
        }
        slot.1 = Some(context.waker().clone());
        Poll::Pending
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a future on this thread. A program with a runtime writes `.await` instead.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
