//! What came of a request.

use std::{sync::Arc, time::Duration};

use smallvec::SmallVec;
use tollgate_core::{Decision, Micros, OnFailure, Reason, Timestamp, Verdict};
use tollgate_rules::{Plan, Rule, Stop};

use super::Met;

/// The answer to a request: allowed or denied, and the numbers to show.
///
/// ```
/// use tollgate::{Gate, rules::Query};
///
/// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
/// let alice = Query::new().user("alice")?;
/// gate.check(&alice)?;
/// let denied = gate.check(&alice)?;
/// assert!(!denied.is_allowed());
/// assert_eq!((denied.limit(), denied.remaining()), (Some(1), Some(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ruling {
    revision: u64,
    is_matched: bool,
    met: SmallVec<[Met; 2]>,
    outcome: Outcome,
}

#[derive(Clone, Debug)]
enum Outcome {
    /// Nothing limits it.
    Unlimited,
    /// The counters decided.
    Decided(Verdict),
    /// It was denied without asking them.
    Stopped {
        rule: Option<Arc<Rule>>,
        wait: Option<Micros>,
        reason: Reason,
    },
}

impl Ruling {
    pub(super) fn unlimited(plan: &Plan<'_>) -> Self {
        Self::new(plan, Outcome::Unlimited)
    }

    pub(super) fn decided(plan: &Plan<'_>, verdict: Verdict) -> Self {
        Self::new(plan, Outcome::Decided(verdict))
    }

    pub(super) fn stopped(plan: &Plan<'_>, stop: &Stop<'_>, now: Timestamp) -> Self {
        let rule = stop.rule().map(Arc::clone);
        let wait = stop.until().map(|until| until.since(now));
        let reason = stop.reason();
        Self::new(plan, Outcome::Stopped { rule, wait, reason })
    }

    fn new(plan: &Plan<'_>, outcome: Outcome) -> Self {
        let met = |line| Met::new(plan, line);
        Self {
            revision: plan.revision(),
            is_matched: plan.has_matched(),
            met: plan.lines().iter().map(met).collect(),
            outcome,
        }
    }

    /// Whether the request may pass.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// assert!(gate.check(&Query::new().user("alice")?)?.is_allowed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_allowed(&self) -> bool {
        match &self.outcome {
            Outcome::Unlimited => true,
            Outcome::Decided(verdict) => verdict.is_allowed(),
            Outcome::Stopped { .. } => false,
        }
    }

    /// Why the request is allowed or denied.
    ///
    /// ```
    /// use tollgate::{Gate, Reason, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// let alice = Query::new().user("alice")?;
    /// assert_eq!(gate.check(&alice)?.reason(), Reason::Allowed);
    /// assert_eq!(gate.check(&alice)?.reason(), Reason::Throttled);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reason(&self) -> Reason {
        match &self.outcome {
            Outcome::Unlimited => Reason::Allowed,
            Outcome::Decided(verdict) => verdict.reason(),
            Outcome::Stopped { reason, .. } => *reason,
        }
    }

    /// The failure policy that decided, if the counters could not be asked in time.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// assert_eq!(gate.check(&Query::new().user("alice")?)?.fallback(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn fallback(&self) -> Option<OnFailure> {
        match &self.outcome {
            Outcome::Decided(verdict) => verdict.fallback(),
            Outcome::Unlimited | Outcome::Stopped { .. } => None,
        }
    }

    /// The revision of the rules that decided.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// assert_eq!(gate.check(&Query::new())?.revision(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The rule whose numbers are shown; none if nothing matched, or a block denied the caller.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// let ruling = gate.check(&Query::new().user("alice")?)?;
    /// assert_eq!(ruling.rule().map(|rule| rule.name.as_str()), Some("login"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rule(&self) -> Option<&Arc<Rule>> {
        match &self.outcome {
            Outcome::Unlimited => None,
            Outcome::Stopped { rule, .. } => rule.as_ref(),
            Outcome::Decided(_) => self.shown().map(|(met, _)| &met.rule),
        }
    }

    /// Whether nothing limits the request because a rule or an override says so, and not because none
    /// is about it.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: open, match: { user: bob }, action: allow }]".parse()?);
    /// assert!(gate.check(&Query::new().user("bob")?)?.is_exempt());
    /// assert!(!gate.check(&Query::new())?.is_exempt());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn is_exempt(&self) -> bool {
        self.is_matched && matches!(self.outcome, Outcome::Unlimited)
    }

    /// The limit whose numbers are shown with its decision, if counters were asked.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limits: [5/s, 1/day] }]".parse()?);
    /// let ruling = gate.check(&Query::new().user("alice")?)?;
    /// assert_eq!(ruling.shown().map(|(met, _)| met.period.to_string()).as_deref(), Some("day"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shown(&self) -> Option<(&Met, &Decision)> {
        let Outcome::Decided(verdict) = &self.outcome else {
            return None;
        };
        let place = verdict.binding_index()?;
        Some((self.met.get(place)?, verdict.decisions().get(place)?))
    }

    /// The decision to show, if counters were asked.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// let ruling = gate.check(&Query::new().user("alice")?)?;
    /// assert_eq!(ruling.binding().map(|decision| decision.limit()), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn binding(&self) -> Option<&Decision> {
        self.shown().map(|(_, decision)| decision)
    }

    /// Every limit that was asked, with its decision, in the order of the walk.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// let ruling = gate.check(&Query::new().user("alice")?)?;
    /// assert_eq!(ruling.decisions().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decisions(&self) -> impl Iterator<Item = (&Met, &Decision)> {
        let decisions = match &self.outcome {
            Outcome::Decided(verdict) => verdict.decisions(),
            Outcome::Unlimited | Outcome::Stopped { .. } => &[],
        };
        self.met.iter().zip(decisions)
    }

    /// The limit to show: 0 for a block, none if nothing matched.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// let ruling = gate.check(&Query::new().user("alice")?)?;
    /// assert_eq!(ruling.limit(), Some(1));
    /// assert_eq!(gate.check(&Query::new())?.limit(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn limit(&self) -> Option<u64> {
        self.number(Decision::limit)
    }

    /// What is left to show: 0 for a block, none if nothing matched.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// let ruling = gate.check(&Query::new().user("alice")?)?;
    /// assert_eq!(ruling.remaining(), Some(0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remaining(&self) -> Option<u64> {
        self.number(Decision::remaining)
    }

    fn number(&self, of: impl Fn(&Decision) -> u64) -> Option<u64> {
        match &self.outcome {
            Outcome::Stopped { .. } => Some(0),
            Outcome::Decided(_) | Outcome::Unlimited => self.binding().map(of),
        }
    }

    /// How long a lone client has to wait, exactly; none if it may pass or waiting never helps.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// let alice = Query::new().user("alice")?;
    /// gate.check(&alice)?;
    /// let denied = gate.check(&alice)?;
    /// assert!(denied.retry_after().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn retry_after(&self) -> Option<Duration> {
        match &self.outcome {
            Outcome::Stopped { wait, .. } => wait.map(|wait| Duration::from_micros(wait.get())),
            Outcome::Decided(_) | Outcome::Unlimited => self.binding()?.retry_after(),
        }
    }

    /// The wait to show a client: whole seconds, at least one, and at least what the rule asks for. None
    /// if it may pass or waiting never helps.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// let alice = Query::new().user("alice")?;
    /// gate.check(&alice)?;
    /// let denied = gate.check(&alice)?;
    /// assert!(denied.retry_after_s() >= Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn retry_after_s(&self) -> Option<u64> {
        let exact = self.retry_after()?;
        let seconds = exact.as_secs() + u64::from(exact.subsec_nanos() > 0);
        let least = self.rule().and_then(|rule| rule.response.retry_after_s);
        Some(seconds.max(1).max(least.map_or(0, u64::from)))
    }

    /// The status of the answer: 200, what the rule asks for, 403 for a block, 429 for a throttle.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// let alice = Query::new().user("alice")?;
    /// gate.check(&alice)?;
    /// let denied = gate.check(&alice)?;
    /// assert_eq!(denied.status(), 429);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn status(&self) -> u16 {
        let given = self.rule().and_then(|rule| rule.response.status);
        match &self.outcome {
            _ if self.is_allowed() => 200,
            Outcome::Stopped { .. } => given.unwrap_or(403),
            Outcome::Decided(_) | Outcome::Unlimited => given.unwrap_or(429),
        }
    }
}
