//! The way of a request through the rules to the counters.

use std::sync::Arc;

use smallvec::SmallVec;
use tollgate_core::{Action, Charge, Clock, ImmediateStore, Now, SystemClock, Verdict};
use tollgate_memory::MemoryStore;
use tollgate_rules::{Live, Plan, Query, RuleSet};

use super::{NoSnapshot, Ruling};

/// Says whether a request may pass under the rules in force.
///
/// ```
/// use std::sync::Arc;
/// use tollgate::{Gate, ManualClock, MemoryStore};
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
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 5/min }]".parse()?);
    /// let alice = Query::new().user("alice")?;
    /// assert!(gate.check(&alice)?.is_allowed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_memory(rules: &RuleSet) -> Self {
        let live = Arc::new(Live::new());
        live.publish(rules, 1);
        Self::new(live, MemoryStore::new(SystemClock), SystemClock)
    }
}

impl<S, C> Gate<S, C> {
    /// A gate over the rules that `live` holds, now and later. The clock tells which overrides have
    /// ended; give the store the same.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tollgate::{Gate, ManualClock, MemoryStore, rules::Live};
    ///
    /// let clock = ManualClock::start();
    /// let gate = Gate::new(Arc::new(Live::new()), MemoryStore::new(clock.clone()), clock);
    /// assert!(gate.live().snapshot().is_none()); // nothing was published yet
    /// ```
    pub const fn new(live: Arc<Live>, store: S, clock: C) -> Self {
        Self { live, store, clock }
    }

    /// The rules.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// gate.live().publish(&"version: 1\nrules: []".parse()?, 2);
    /// assert_eq!(gate.check(&Query::new())?.revision(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn live(&self) -> &Arc<Live> {
        &self.live
    }

    /// The counters.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// gate.check(&Query::new().user("alice")?)?;
    /// assert_eq!(gate.store().stats().keys, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn store(&self) -> &S {
        &self.store
    }

    /// The clock.
    ///
    /// ```
    /// use tollgate::{Clock, Gate};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: []".parse()?);
    /// assert!(gate.clock().now().wall.as_micros() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn clock(&self) -> &C {
        &self.clock
    }
}

impl<S, C: Clock> Gate<S, C> {
    pub(super) fn now(&self) -> Now {
        self.clock.now()
    }
}

impl<S: ImmediateStore, C: Clock> Gate<S, C> {
    /// Charges the request on every limit it meets, or on none, and says what came of it.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// let alice = Query::new().user("alice")?;
    /// assert!(gate.check(&alice)?.is_allowed());
    /// assert!(!gate.check(&alice)?.is_allowed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NoSnapshot`] as long as no rules were ever published: that is not "nothing matched".
    pub fn check(&self, query: &Query<'_>) -> Result<Ruling, NoSnapshot> {
        let now = self.clock.now();
        self.with_plan(query, now, |plan| {
            rule_on(&plan, now, || self.store.charge_now(&plan.charges()))
        })
    }

    /// Peeks at, refunds to or resets every counter that the request would be charged on.
    ///
    /// ```
    /// use tollgate::{Gate, Action, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// let alice = Query::new().user("alice")?;
    /// assert!(gate.check(&alice)?.is_allowed());
    /// gate.inspect(Action::Reset, &alice)?;
    /// assert!(gate.check(&alice)?.is_allowed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Gate::check`].
    pub fn inspect(&self, action: Action, query: &Query<'_>) -> Result<Ruling, NoSnapshot> {
        let now = self.clock.now();
        self.with_plan(query, now, |plan| {
            rule_on(&plan, now, || {
                self.store.inspect_now(action, &plan.charges())
            })
        })
    }

    /// As [`Gate::inspect`], for the counters of one rule.
    ///
    /// ```
    /// use tollgate::{Gate, Action, rules::Query};
    ///
    /// let rules = "version: 1\nrules: [{ name: a, key: [user], limit: 1/day }, { name: b, key: [user], limit: 1/day }]";
    /// let gate = Gate::in_memory(&rules.parse()?);
    /// let alice = Query::new().user("alice")?;
    /// assert!(gate.check(&alice)?.is_allowed());
    /// gate.inspect_rule(Action::Reset, "a", &alice)?;
    /// assert_eq!(gate.check(&alice)?.rule().map(|rule| rule.name.as_str()), Some("b"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
        let now = self.clock.now();
        self.with_plan(query, now, |mut plan| {
            plan.keep_rule(rule);
            rule_on(&plan, now, || {
                self.store.inspect_now(action, &plan.charges())
            })
        })
    }

    /// Decides several requests, each on its own and in order, and hands over what came of each. Faster
    /// than one by one: the counters are fetched together.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// let queries = [Query::new().user("alice")?, Query::new().user("bob")?, Query::new().user("alice")?];
    /// let mut allowed = Vec::new();
    /// gate.check_all(&queries, |_, ruling| allowed.push(ruling.is_allowed()))?;
    /// assert_eq!(allowed, [true, true, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Gate::check`]; then nothing is handed over.
    pub fn check_all<'q, 'a: 'q>(
        &self,
        queries: impl IntoIterator<Item = &'q Query<'a>>,
        mut decided: impl FnMut(&Plan<'_>, Ruling),
    ) -> Result<(), NoSnapshot> {
        let now = self.clock.now();
        let directory = self.live.directory();
        let all = self.live.with_snapshot(|snapshot| {
            let mut plans: SmallVec<[Plan<'_>; TOGETHER]> = SmallVec::new();
            let mut verdicts = Vec::new();
            let mut queries = queries.into_iter().peekable();
            while queries.peek().is_some() {
                let some = queries.by_ref().take(TOGETHER);
                plans.extend(some.map(|query| snapshot.plan(query, directory, now.wall)));
                self.charge_together(&plans, &mut verdicts);
                let mut verdicts = verdicts.drain(..);
                for plan in &plans {
                    let alone = || self.store.charge_now(&plan.charges());
                    let decide = || verdicts.next().unwrap_or_else(alone);
                    decided(plan, rule_on(plan, now, decide));
                }
                plans.clear();
            }
        });
        all.ok_or(NoSnapshot)
    }

    /// The verdicts on those plans that need one.
    fn charge_together(&self, plans: &[Plan<'_>], verdicts: &mut Vec<Verdict>) {
        if let [_] = plans {
            return;
        }
        let charges: SmallVec<[_; TOGETHER]> = plans.iter().map(Plan::charges).collect();
        let asked = plans.iter().zip(&charges);
        let requests: SmallVec<[&[Charge<'_>]; TOGETHER]> = asked
            .filter(|(plan, _)| needs_counters(plan))
            .map(|(_, charges)| charges.as_slice())
            .collect();
        self.store.charge_batch(&requests, verdicts);
    }

    fn with_plan<R>(
        &self,
        query: &Query<'_>,
        now: Now,
        with: impl FnOnce(Plan<'_>) -> R,
    ) -> Result<R, NoSnapshot> {
        let directory = self.live.directory();
        let done = self
            .live
            .with_snapshot(|snapshot| with(snapshot.plan(query, directory, now.wall)));
        done.ok_or(NoSnapshot)
    }
}

/// How many requests are held against the rules before their counters are asked.
const TOGETHER: usize = 16;

pub(super) fn needs_counters(plan: &Plan<'_>) -> bool {
    plan.stop().is_none() && !plan.lines().is_empty()
}

pub(super) fn rule_on(plan: &Plan<'_>, now: Now, decide: impl FnOnce() -> Verdict) -> Ruling {
    match plan.stop() {
        Some(stop) => Ruling::stopped(plan, stop, now.wall),
        None if plan.lines().is_empty() => Ruling::unlimited(plan),
        None => Ruling::decided(plan, decide()),
    }
}
