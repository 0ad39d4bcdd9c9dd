//! Requests held against rules: match, decide, answer.
//!
//! One path for every store. What waits for counters is written once, as `async`; a store that answers at once
//! makes the same futures ready at their first poll, so the methods without `_async` poll once.

mod error;
mod ruling;
mod together;

use std::{
    borrow::Borrow,
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use smallvec::SmallVec;
use tollgate_core::{
    Action, Charge, Clock, ImmediateStore, Now, Store, StoreError, SystemClock, Verdict,
};
use tollgate_memory::MemoryStore;
use tollgate_rules::{Live, Plan, Query, RuleSet, Snapshot};

pub use self::{
    error::{NoSnapshot, Unanswered},
    ruling::{LimitDetails, MatchedLimit, Ruling},
    together::{Part, Spend},
};

/// How many requests of a batch are put to the store at once.
const BATCH: usize = 64;

/// Says whether a request may pass under the rules in force.
///
/// ```
/// use std::sync::Arc;
/// use tollgate::{Action, Gate, ManualClock, MemoryStore};
/// use tollgate::rules::{Live, Query, document};
///
/// let file = "
/// version: 1
/// rules:
///   - { name: login, match: { endpoint: /login }, key: [user], limit: 2/min }
/// ";
/// let live = Arc::new(Live::new());
/// live.publish(&document::read("rules.yaml", file).document.ok_or("broken")?.rules, 1);
///
/// let clock = ManualClock::start();
/// let gate = Gate::new(live, MemoryStore::new(clock.clone()), clock);
/// let login = Query::new().user("alice")?.endpoint("/login")?;
/// assert!(gate.check(&login)?.is_allowed() && gate.check(&login)?.is_allowed());
///
/// let denied = gate.check(&login)?;
/// assert_eq!(denied.rule().map(|rule| rule.name.as_str()), Some("login"));
/// assert_eq!((denied.status(), denied.remaining()), (429, Some(0)));
///
/// gate.inspect(Action::Reset, &login)?;
/// let mut allowed = Vec::new();
/// gate.check_all(&[&login, &login, &login], |_, ruling| allowed.push(ruling.is_allowed()))?;
/// assert_eq!(allowed, [true, true, false]);
///
/// // Other rules are in force as soon as they are published.
/// gate.live().publish(&"version: 1\nrules: []".parse()?, 2);
/// assert_eq!(gate.check(&login)?.revision(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Gate<S = MemoryStore<SystemClock>, C = SystemClock> {
    live: Arc<Live>,
    store: S,
    clock: C,
}

impl Gate {
    /// A gate over these rules, with counters in memory and the system's clock.
    pub fn in_memory(rules: &RuleSet) -> Self {
        let live = Arc::new(Live::new());
        live.publish(rules, 1);
        Self::new(live, MemoryStore::new(SystemClock), SystemClock)
    }
}

impl<S, C> Gate<S, C> {
    /// A gate over the rules that `live` holds, now and later. The clock tells which overrides have
    /// ended; give the store the same.
    pub const fn new(live: Arc<Live>, store: S, clock: C) -> Self {
        Self { live, store, clock }
    }

    /// The rules.
    pub const fn live(&self) -> &Arc<Live> {
        &self.live
    }

    /// The counters.
    pub const fn store(&self) -> &S {
        &self.store
    }

    /// The clock.
    pub const fn clock(&self) -> &C {
        &self.clock
    }

    /// The limits that the request meets.
    fn plan<'s>(&'s self, snapshot: &'s Snapshot, query: &'s Query<'_>, now: Now) -> Plan<'s> {
        snapshot.plan(query, self.live.directory(), now.wall)
    }
}

/// For every store.
impl<S: Store, C: Clock> Gate<S, C> {
    /// Charges the request on every limit it meets, or on none, and says what came of it.
    ///
    /// # Errors
    ///
    /// [`Unanswered`]; a denial is none.
    pub async fn check_async(&self, query: &Query<'_>) -> Result<Ruling, Unanswered> {
        let (now, loaded) = (self.clock.now(), self.live.load());
        let snapshot = loaded.snapshot().ok_or(NoSnapshot)?;
        let plan = self.plan(snapshot, query, now);
        Ok(self.decide(&plan, now).await?)
    }

    /// Decides several requests, each on its own and in order, and hands over what came of each. Faster than one by
    /// one: they are put to the store together, under one snapshot and one reading of the clock.
    ///
    /// # Errors
    ///
    /// [`NoSnapshot`]; then nothing is handed over.
    pub async fn check_all_async<'a, Q: Borrow<Query<'a>>>(
        &self,
        queries: &[Q],
        mut decided: impl FnMut(&Plan<'_>, Result<Ruling, StoreError>),
    ) -> Result<(), NoSnapshot> {
        let (now, loaded) = (self.clock.now(), self.live.load());
        let snapshot = loaded.snapshot().ok_or(NoSnapshot)?;
        if let [query] = queries {
            let plan = self.plan(snapshot, query.borrow(), now);
            let ruling = self.decide(&plan, now).await;
            decided(&plan, ruling);
            return Ok(());
        }
        let mut verdicts = Vec::new();
        for queries in queries.chunks(BATCH) {
            let mut plans = Vec::with_capacity(queries.len());
            for query in queries {
                plans.push(self.plan(snapshot, query.borrow(), now));
            }
            self.charge_plans(&plans, &mut verdicts).await;
            let mut verdicts = verdicts.drain(..);
            for plan in &plans {
                let ruling = match Ruling::without_counters(plan, now) {
                    Some(ruling) => Ok(ruling),
                    None => {
                        let verdict = verdicts
                            .next()
                            .unwrap_or(Err(StoreError::Corrupt("a verdict is missing")));
                        verdict.map(|verdict| Ruling::decided(plan, verdict, now))
                    }
                };
                decided(plan, ruling);
            }
        }
        Ok(())
    }

    /// Peeks at, refunds to or resets every counter that the request would be charged on.
    ///
    /// # Errors
    ///
    /// As [`Gate::check_async`]; then it was not done, or may have been if the store was waited for in vain.
    pub async fn inspect_async(
        &self,
        action: Action,
        query: &Query<'_>,
    ) -> Result<Ruling, Unanswered> {
        self.inspect_counters(action, None, query).await
    }

    /// As [`Gate::inspect_async`], for the counters of one rule.
    ///
    /// # Errors
    ///
    /// As [`Gate::inspect_async`].
    pub async fn inspect_rule_async(
        &self,
        action: Action,
        rule: &str,
        query: &Query<'_>,
    ) -> Result<Ruling, Unanswered> {
        self.inspect_counters(action, Some(rule), query).await
    }

    async fn inspect_counters(
        &self,
        action: Action,
        rule: Option<&str>,
        query: &Query<'_>,
    ) -> Result<Ruling, Unanswered> {
        let (now, loaded) = (self.clock.now(), self.live.load());
        let snapshot = loaded.snapshot().ok_or(NoSnapshot)?;
        let mut plan = self.plan(snapshot, query, now);
        if let Some(rule) = rule {
            plan.keep_rule(rule);
        }
        match Ruling::without_counters(&plan, now) {
            Some(ruling) => Ok(ruling),
            None => {
                let verdict = self.store.inspect(action, &plan.charges()).await?;
                Ok(Ruling::decided(&plan, verdict, now))
            }
        }
    }

    async fn decide(&self, plan: &Plan<'_>, now: Now) -> Result<Ruling, StoreError> {
        match Ruling::without_counters(plan, now) {
            Some(ruling) => Ok(ruling),
            None => {
                let verdict = self.store.charge(&plan.charges()).await?;
                Ok(Ruling::decided(plan, verdict, now))
            }
        }
    }

    /// One verdict for each plan that needs counters.
    async fn charge_plans(
        &self,
        plans: &[Plan<'_>],
        verdicts: &mut Vec<Result<Verdict, StoreError>>,
    ) {
        let counted = plans.iter().filter(|plan| plan.needs_counters());
        let charges: Vec<SmallVec<[Charge<'_>; 4]>> = counted.map(Plan::charges).collect();
        let requests: SmallVec<[&[Charge<'_>]; BATCH]> =
            charges.iter().map(SmallVec::as_slice).collect();
        self.store.charge_batch(&requests, verdicts).await;
    }
}

/// For stores that answer at once, such as the one in memory.
impl<S: ImmediateStore, C: Clock> Gate<S, C> {
    /// Charges the request on every limit it meets, or on none, and says what came of it.
    ///
    /// # Errors
    ///
    /// [`NoSnapshot`] as long as no rules were ever published: that is not "nothing matched".
    pub fn check(&self, query: &Query<'_>) -> Result<Ruling, NoSnapshot> {
        at_once(self.check_async(query))
    }

    /// As [`Gate::check_all_async`].
    ///
    /// # Errors
    ///
    /// As [`Gate::check`]; then nothing is handed over.
    pub fn check_all<'a, Q: Borrow<Query<'a>>>(
        &self,
        queries: &[Q],
        mut decided: impl FnMut(&Plan<'_>, Ruling),
    ) -> Result<(), NoSnapshot> {
        let each = |plan: &Plan<'_>, ruling: Result<Ruling, StoreError>| {
            debug_assert!(ruling.is_ok(), "a store that answers at once has no errors");
            if let Ok(ruling) = ruling {
                decided(plan, ruling);
            }
        };
        at_once(async { Ok(self.check_all_async(queries, each).await?) })
    }

    /// As [`Gate::inspect_async`].
    ///
    /// # Errors
    ///
    /// As [`Gate::check`].
    pub fn inspect(&self, action: Action, query: &Query<'_>) -> Result<Ruling, NoSnapshot> {
        at_once(self.inspect_async(action, query))
    }

    /// As [`Gate::inspect_rule_async`].
    ///
    /// # Errors
    ///
    /// As [`Gate::check`].
    pub fn inspect_rule(
        &self,
        action: Action,
        rule: &str,
        query: &Query<'_>,
    ) -> Result<Ruling, NoSnapshot> {
        at_once(self.inspect_rule_async(action, rule, query))
    }

    /// As [`Gate::check_together_async`].
    ///
    /// # Errors
    ///
    /// As [`Gate::check`]; then nothing is handed over.
    pub fn check_together<R>(
        &self,
        parts: &[Part<'_>],
        decided: impl FnOnce(&[(Plan<'_>, Ruling)]) -> R,
    ) -> Result<R, NoSnapshot> {
        at_once(self.check_together_async(parts, decided))
    }
}

/// What a store that answers at once has made ready at the first poll. Its only error is that there are no rules.
#[inline]
#[expect(
    clippy::panic,
    reason = "an `ImmediateStore` cannot be pending: its futures await nothing"
)]
fn at_once<T>(answer: impl Future<Output = Result<T, Unanswered>>) -> Result<T, NoSnapshot> {
    match pin!(answer).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(answer)) => Ok(answer),
        Poll::Ready(Err(_)) => Err(NoSnapshot),
        Poll::Pending => panic!("a store that answers at once was waited for"),
    }
}
