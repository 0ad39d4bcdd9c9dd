//! The middle of every protocol: a request in, an answer out. Only counters that a fleet shares are waited for: on a node
//! that counts alone every future here is ready when it is polled first.

mod answer;
mod counters;
mod overflow;
mod penalty;
mod repeat;
#[cfg(test)]
mod rig;
#[cfg(test)]
mod shared_tests;
#[cfg(test)]
mod tests;
mod troubles;

use std::{
    borrow::Borrow,
    error::Error,
    fmt,
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, Waker},
    thread,
};

use futures_util::future::join_all;
use tollgate::{Action, Gate, Part, Ruling, StoreError, Unanswered};
use tollgate_core::{Clock, Now};
use tollgate_memory::{CellStore, MemoryStore, Throttle, ThrottleError, Throttled};
use tollgate_rules::{Live, Plan, Query};

pub use self::counters::RedisError;
use self::{answer::DecisionIds, repeat::Repeats};
pub(crate) use self::{
    answer::{Answer, Refusal, Together},
    counters::{Counters, Fleet, redis_options},
    penalty::{Penalties, Penalty},
};
use crate::{counting::Counting, telemetry::Recorder};

/// How many requests of one caller are under way at once.
pub(crate) const UNDER_WAY_MAX: usize = 64;

/// A request, whatever protocol it came by.
#[derive(Clone, Debug)]
pub(crate) struct Ask<'a> {
    /// The facts.
    pub(crate) query: Query<'a>,
    /// Asked again under the same name, it is answered alike and not charged again.
    pub(crate) request_id: Option<&'a str>,
}

impl<'a> Ask<'a> {
    /// The longest name of a request.
    pub(crate) const REQUEST_ID_BYTES_MAX: usize = 128;

    pub(crate) const fn new(query: Query<'a>) -> Self {
        Self { query, request_id: None }
    }
}

impl<'a> Borrow<Query<'a>> for Ask<'a> {
    fn borrow(&self) -> &Query<'a> {
        &self.query
    }
}

/// What is done to the counters that a request would be charged on, other than charging them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CounterOp<'a> {
    /// Peek, refund or reset.
    pub(crate) action: Action,
    /// Only those of this rule.
    pub(crate) rule: Option<&'a str>,
}

/// Rules, counters and what is told of decisions, behind one door.
#[derive(Debug)]
pub(crate) struct Engine {
    gate: Gate<Counters, Time>,
    cells: CellStore<Time>,
    ids: DecisionIds,
    repeats: Repeats,
    penalties: Option<Penalties>,
    recorder: Arc<Recorder>,
}

impl Engine {
    pub(crate) fn new(
        live: Arc<Live>,
        store: impl Into<Arc<MemoryStore<Time>>>,
        time: Time,
        recorder: Arc<Recorder>,
    ) -> Self {
        let store = store.into();
        // As much room for keys that no rule is about as for those of rules.
        let keys = usize::try_from(store.stats().capacity).unwrap_or(usize::MAX);
        let cells = CellStore::with_capacity(keys / 7 * 5, time.clone());
        Self {
            gate: Gate::new(live, Counters::Alone(store), time),
            cells,
            ids: DecisionIds::new(),
            repeats: Repeats::new(),
            penalties: None,
            recorder,
        }
    }

    /// With other cells than empty ones.
    pub(crate) fn with_cells(mut self, cells: CellStore<Time>) -> Self {
        self.cells = cells;
        self
    }

    /// With waits that grow for clients that keep asking.
    pub(crate) fn with_penalties(mut self, penalties: Penalties) -> Self {
        self.penalties = Some(penalties);
        self
    }

    /// With counters that a fleet shares.
    pub(crate) fn with_fleet(mut self, fleet: Fleet) -> Self {
        let (live, time) = (Arc::clone(self.live()), self.time().clone());
        self.gate = Gate::new(live, Counters::Fleet(fleet), time);
        self
    }

    /// Whether a decision may have to be waited for.
    #[inline]
    pub(crate) const fn waits(&self) -> bool {
        matches!(self.gate.store(), Counters::Fleet(_))
    }

    /// Decides each request on its own, in order, and hands over the answers.
    #[inline]
    pub(crate) async fn check_all(
        &self,
        asks: &[Ask<'_>],
        mut answered: impl FnMut(Result<Answer, Refusal>),
    ) {
        let runs = asks.chunk_by(|one, next| one.request_id.is_some() == next.request_id.is_some());
        for run in runs {
            match run {
                [named] if named.request_id.is_some() => answered(self.check_named(named).await),
                [named, ..] if named.request_id.is_some() => {
                    for some in run.chunks(UNDER_WAY_MAX) {
                        let answers = join_all(some.iter().map(|ask| self.check_named(ask))).await;
                        answers.into_iter().for_each(&mut answered);
                    }
                }
                _ => {
                    let decided = |plan: &Plan<'_>, ruling| answered(self.answer(plan, ruling));
                    if self.gate.check_all_async(run, decided).await.is_err() {
                        run.iter().for_each(|_| answered(Err(Refusal::NoSnapshot)));
                    }
                }
            }
        }
    }

    /// Decides one request.
    #[inline]
    pub(crate) async fn check(&self, ask: &Ask<'_>) -> Result<Answer, Refusal> {
        match ask.request_id {
            Some(_) => self.check_named(ask).await,
            None => self.decide(&ask.query).await,
        }
    }

    /// Decides a request that has a name, unless it was asked before.
    async fn check_named(&self, ask: &Ask<'_>) -> Result<Answer, Refusal> {
        let cell = self.repeats.cell(ask, self.time().now().steady)?;
        let answer = cell.get_or_try_init(|| self.decide(&ask.query));
        let answer = match self.waits() {
            true => answer.await?,
            false => spun(answer)?,
        };
        Ok(answer.clone())
    }

    async fn decide(&self, query: &Query<'_>) -> Result<Answer, Refusal> {
        let mut answer = Err(Refusal::NoSnapshot);
        let decided = |plan: &Plan<'_>, ruling| answer = self.answer(plan, ruling);
        let ruled = self.gate.check_all_async(&[query], decided).await;
        ruled.map_err(|_| Refusal::NoSnapshot)?;
        answer
    }

    /// Peeks, refunds or resets. Neither is a decision, so nothing is recorded.
    pub(crate) async fn inspect(
        &self,
        op: CounterOp<'_>,
        ask: &Ask<'_>,
    ) -> Result<Answer, Refusal> {
        self.knows(op)?;
        let CounterOp { action, rule } = op;
        let ruling = match rule {
            Some(rule) => self.gate.inspect_rule_async(action, rule, &ask.query).await,
            None => self.gate.inspect_async(action, &ask.query).await,
        };
        match ruling {
            Ok(ruling) => Ok(Answer { id: self.ids.next(), ruling, penalty: None }),
            Err(Unanswered::Store(error)) => Err(not_done(action, &error)),
            Err(_) => Err(Refusal::NoSnapshot),
        }
    }

    /// Decides requests that pass together or not at all.
    #[inline]
    pub(crate) async fn check_together(&self, parts: &[Part<'_>]) -> Result<Together, Refusal> {
        let decided = |all: &[(Plan<'_>, Ruling)]| self.together(all);
        match self.gate.check_together_async(parts, decided).await {
            Ok(together) => Ok(together),
            Err(Unanswered::Store(error)) => Err(undecided(&error)),
            Err(_) => Err(Refusal::NoSnapshot),
        }
    }

    /// Decides about a key that no rule is about, by the numbers that come along.
    pub(crate) fn throttle(&self, key: &[u8], ask: Throttle) -> Result<Throttled, ThrottleError> {
        let answer = self.cells.throttle(key, ask);
        if let Ok(answer) = &answer {
            self.recorder.throttled(answer);
        }
        answer
    }

    /// Whether the rule that is named is in force.
    fn knows(&self, op: CounterOp<'_>) -> Result<(), Refusal> {
        let Some(name) = op.rule else {
            return Ok(());
        };
        match self.live().with_snapshot(|snapshot| snapshot.rule_id(name).is_some()) {
            Some(false) => Err(Refusal::UnknownRule(name.chars().take(64).collect())),
            _ => Ok(()),
        }
    }

    /// The rules in force.
    pub(crate) const fn live(&self) -> &Arc<Live> {
        self.gate.live()
    }

    /// The counters of this node.
    pub(crate) fn store(&self) -> &MemoryStore<Time> {
        self.gate.store().local()
    }

    /// The counters of the fleet, if it shares any.
    pub(crate) const fn fleet(&self) -> Option<&Fleet> {
        match self.gate.store() {
            Counters::Alone(_) => None,
            Counters::Fleet(fleet) => Some(fleet),
        }
    }

    /// Where counters are.
    pub(crate) fn counting(&self) -> Counting {
        match self.fleet() {
            None => Counting::Alone,
            Some(fleet) => Counting::Shared(fleet.leases()),
        }
    }

    /// The keys that no rule is about.
    pub(crate) const fn cells(&self) -> &CellStore<Time> {
        &self.cells
    }

    /// What counts decisions.
    pub(crate) const fn recorder(&self) -> &Arc<Recorder> {
        &self.recorder
    }

    /// The clock.
    pub(crate) const fn time(&self) -> &Time {
        self.gate.clock()
    }

    /// Names a decision and records it.
    fn answer(
        &self,
        plan: &Plan<'_>,
        ruling: Result<Ruling, StoreError>,
    ) -> Result<Answer, Refusal> {
        let ruling = ruling.map_err(|error| undecided(&error))?;
        let penalty = self.record(plan, &ruling);
        Ok(Answer { id: self.ids.next(), ruling, penalty })
    }

    /// One name for all that was decided together.
    fn together(&self, all: &[(Plan<'_>, Ruling)]) -> Together {
        let id = self.ids.next();
        let is_allowed = all.iter().all(|(_, ruling)| ruling.is_allowed());
        let answers = all.iter().map(|(plan, ruling)| {
            // What others have stopped was not admitted, so it does not count as if it were.
            let is_counted = is_allowed || !ruling.is_allowed();
            let penalty = if is_counted { self.record(plan, ruling) } else { None };
            Answer { id, ruling: ruling.clone(), penalty }
        });
        Together { answers: answers.collect() }
    }

    /// Counts the decision, and says what a denial costs.
    fn record(&self, plan: &Plan<'_>, ruling: &Ruling) -> Option<Penalty> {
        self.recorder.decided(plan, ruling);
        let Now { wall, steady } = ruling.now();
        if ruling.is_allowed() {
            plan.count_allowed(wall);
            return None;
        }
        plan.count_denied(wall);
        self.penalties.as_ref()?.denied(plan, ruling, steady)
    }
}

/// Where a server takes `now` from. Tests move theirs.
#[derive(Clone)]
pub(crate) struct Time(Arc<dyn Clock>);

impl Time {
    pub(crate) fn new(clock: impl Clock + 'static) -> Self {
        Self(Arc::new(clock))
    }

    /// The clock itself, for those who share it.
    pub(crate) fn shared(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.0)
    }
}

impl Clock for Time {
    #[inline]
    fn now(&self) -> Now {
        self.0.now()
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Time")
    }
}

/// What is ready at once; none if it has to be waited for. Pinned where it was made: a future that holds
/// checks is large, and moving it would cost more than polling it.
#[inline]
pub(crate) fn polled_once<T>(future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

/// The same, where nobody counts instructions.
pub(crate) fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    polled_once(pin!(future))
}

/// Polls until it is ready. What keeps it is another thread in the middle of the same decision, which awaits nothing.
fn spun<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Some(output) = polled_once(future.as_mut()) {
            return output;
        }
        thread::yield_now();
    }
}

#[cold]
fn undecided(error: &StoreError) -> Refusal {
    Refusal::Counters(format!("nothing was decided: {}", in_full(error)))
}

#[cold]
fn not_done(action: Action, error: &StoreError) -> Refusal {
    let done = match action {
        Action::Refund => "refunded",
        Action::Reset => "reset",
        _ => "looked up",
    };
    let what = match error {
        StoreError::Timeout(_) if action != Action::Peek => {
            format!("it is not known whether the counters were {done}")
        }
        _ => format!("the counters were not {done}"),
    };
    Refusal::Counters(format!("{what}: {}", in_full(error)))
}

/// An error with what is behind it.
fn in_full(error: &StoreError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
