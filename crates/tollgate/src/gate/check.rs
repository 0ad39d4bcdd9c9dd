//! The way of a request through the rules to the counters.

use std::sync::Arc;

use tollgate_core::{Action, Clock, ImmediateStore, SystemClock, Verdict};
use tollgate_memory::MemoryStore;
use tollgate_rules::{Live, Plan, Query, RuleSet};

use super::Ruling;

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
        self.rule_on(query, |plan| self.store.charge_now(&plan.charges()))
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
        self.rule_on(query, |plan| {
            self.store.inspect_now(action, &plan.charges())
        })
    }

    fn rule_on(
        &self,
        query: &Query<'_>,
        decide: impl FnOnce(&Plan<'_>) -> Verdict,
    ) -> Result<Ruling, NoSnapshot> {
        let now = self.clock.now();
        let ruling = self.live.with_snapshot(|snapshot| {
            let plan = snapshot.plan(query, self.live.directory(), now.wall);
            match plan.stop() {
                Some(stop) => Ruling::stopped(&plan, stop, now.wall),
                None if plan.lines().is_empty() => Ruling::unlimited(&plan),
                None => Ruling::decided(&plan, decide(&plan)),
            }
        });
        ruling.ok_or(NoSnapshot)
    }
}

/// No rules were ever published, so nothing can be decided.
///
/// ```
/// assert!(tollgate::NoSnapshot.to_string().starts_with("no rules are loaded"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSnapshot;

impl std::fmt::Display for NoSnapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no rules are loaded: neither the database nor a last-good snapshot gave any")
    }
}

impl std::error::Error for NoSnapshot {}
