//! What came of a request, and the limits it met.

use std::{borrow::Cow, sync::Arc, time::Duration};

use smallvec::SmallVec;
use tollgate_core::{Decision, Limit, Micros, Now, OnFailure, Period, Reason, Verdict};
use tollgate_rules::{CostRule, Line, Plan, Rule, Stop};

/// The answer to a request: allowed or denied, and the numbers to show.
///
/// ```
/// use tollgate::{Gate, Reason, rules::Query};
///
/// let rules = "version: 1\nrules: [{ name: login, key: [user], limits: [5/s, 1/day] }]";
/// let gate = Gate::in_memory(&rules.parse()?);
/// let alice = Query::new().user("alice")?;
/// assert!(gate.check(&alice)?.is_allowed());
///
/// let denied = gate.check(&alice)?;
/// assert_eq!((denied.status(), denied.reason()), (429, Reason::Throttled));
/// assert_eq!((denied.limit(), denied.remaining()), (Some(1), Some(0)));
/// assert!(denied.retry_after_s() >= Some(1));
/// assert_eq!(denied.rule().map(|rule| rule.name.as_str()), Some("login"));
///
/// // Of all limits that were asked, one is shown.
/// let names: Vec<_> = denied.decisions().map(|(limit, _)| denied.policy_of(limit)).collect();
/// assert_eq!(names, ["login:s", "login:day"]);
/// assert_eq!(denied.shown_place(), Some(1));
///
/// // Nothing limits a request that no rule is about.
/// assert_eq!(gate.check(&Query::new())?.limit(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ruling {
    now: Now,
    revision: u64,
    is_matched: bool,
    met: SmallVec<[MatchedLimit; 2]>,
    outcome: Outcome,
}

#[derive(Clone, Debug)]
enum Outcome {
    /// Nothing limits it.
    Unlimited,
    /// The counters decided.
    Decided(Verdict),
    /// It was denied without asking them.
    Stopped { rule: Option<Arc<Rule>>, wait: Option<Micros>, reason: Reason },
}

impl Ruling {
    /// The answer to a request for which no counter has to be asked: nothing limits it, or it is stopped.
    #[inline]
    pub(super) fn without_counters(plan: &Plan<'_>, now: Now) -> Option<Self> {
        match plan.stop() {
            Some(stop) => Some(Self::stopped(plan, stop, now)),
            None if plan.lines().is_empty() => Some(Self::new(plan, Outcome::Unlimited, now)),
            None => None,
        }
    }

    pub(super) fn decided(plan: &Plan<'_>, verdict: Verdict, now: Now) -> Self {
        Self::new(plan, Outcome::Decided(verdict), now)
    }

    fn stopped(plan: &Plan<'_>, stop: &Stop<'_>, now: Now) -> Self {
        let rule = stop.rule().map(Arc::clone);
        let wait = stop.until().map(|until| until.since(now.wall));
        let reason = stop.reason();
        Self::new(plan, Outcome::Stopped { rule, wait, reason }, now)
    }

    fn new(plan: &Plan<'_>, outcome: Outcome, now: Now) -> Self {
        let met = |line| MatchedLimit::new(plan, line);
        Self {
            now,
            revision: plan.revision(),
            is_matched: plan.has_matched(),
            met: plan.lines().iter().map(met).collect(),
            outcome,
        }
    }

    /// Whether the request may pass.
    pub fn is_allowed(&self) -> bool {
        match &self.outcome {
            Outcome::Unlimited => true,
            Outcome::Decided(verdict) => verdict.is_allowed(),
            Outcome::Stopped { .. } => false,
        }
    }

    /// Why the request is allowed or denied.
    pub fn reason(&self) -> Reason {
        match &self.outcome {
            Outcome::Unlimited => Reason::Allowed,
            Outcome::Decided(verdict) => verdict.reason(),
            Outcome::Stopped { reason, .. } => *reason,
        }
    }

    /// When it was decided: the reading of the clock that chose the limits.
    pub const fn now(&self) -> Now {
        self.now
    }

    /// The failure policy that decided, if the counters could not be asked in time.
    pub const fn fallback(&self) -> Option<OnFailure> {
        match &self.outcome {
            Outcome::Decided(verdict) => verdict.fallback(),
            Outcome::Unlimited | Outcome::Stopped { .. } => None,
        }
    }

    /// The revision of the rules that decided.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The rule whose numbers are shown; none if nothing matched, or a block denied the caller.
    pub fn rule(&self) -> Option<&Arc<Rule>> {
        match &self.outcome {
            Outcome::Unlimited => None,
            Outcome::Stopped { rule, .. } => rule.as_ref(),
            Outcome::Decided(_) => self.shown().map(|(met, _)| &met.rule),
        }
    }

    /// Whether nothing limits the request because a rule or an override says so, and not because none
    /// is about it.
    pub const fn is_exempt(&self) -> bool {
        self.is_matched && matches!(self.outcome, Outcome::Unlimited)
    }

    /// The limit whose numbers are shown with its decision, if counters were asked.
    pub fn shown(&self) -> Option<(&MatchedLimit, &Decision)> {
        let Outcome::Decided(verdict) = &self.outcome else {
            return None;
        };
        let place = verdict.binding_index()?;
        Some((self.met.get(place)?, verdict.decisions().get(place)?))
    }

    /// The decision to show, if counters were asked.
    pub fn binding(&self) -> Option<&Decision> {
        self.shown().map(|(_, decision)| decision)
    }

    /// Every limit that was asked, with its decision, in the order of the walk.
    pub fn decisions(&self) -> impl Iterator<Item = (&MatchedLimit, &Decision)> {
        let decisions = match &self.outcome {
            Outcome::Decided(verdict) => verdict.decisions(),
            Outcome::Unlimited | Outcome::Stopped { .. } => &[],
        };
        self.met.iter().zip(decisions)
    }

    /// The limit to show: 0 for a block, none if nothing matched.
    pub fn limit(&self) -> Option<u64> {
        self.number(Decision::limit)
    }

    /// What is left to show: 0 for a block, none if nothing matched.
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
    pub fn retry_after(&self) -> Option<Duration> {
        match &self.outcome {
            Outcome::Stopped { wait, .. } => wait.map(|wait| Duration::from_micros(wait.get())),
            Outcome::Decided(_) | Outcome::Unlimited => self.binding()?.retry_after(),
        }
    }

    /// The wait to show a client: whole seconds, at least one, and at least what the rule asks for. None
    /// if it may pass or waiting never helps.
    pub fn retry_after_s(&self) -> Option<u64> {
        let exact = self.retry_after()?;
        let seconds = exact.as_secs() + u64::from(exact.subsec_nanos() > 0);
        let least = self.rule().and_then(|rule| rule.response.retry_after_s);
        Some(seconds.max(1).max(least.map_or(0, u64::from)))
    }

    /// The status of the answer: 200, what the rule asks for, 403 for a block, 429 for a throttle.
    pub fn status(&self) -> u16 {
        let given = self.rule().and_then(|rule| rule.response.status);
        match &self.outcome {
            _ if self.is_allowed() => 200,
            Outcome::Stopped { .. } => given.unwrap_or(403),
            Outcome::Decided(_) | Outcome::Unlimited => given.unwrap_or(429),
        }
    }

    /// Where the limit whose numbers are shown stands among those that were met, if counters were asked.
    pub fn shown_place(&self) -> Option<usize> {
        match &self.outcome {
            Outcome::Decided(verdict) => {
                verdict.binding_index().filter(|place| *place < self.met.len())
            }
            Outcome::Unlimited | Outcome::Stopped { .. } => None,
        }
    }

    /// What a limit that was met is called where clients see it: by its rule, with the window where the rule has
    /// several.
    pub fn policy_of<'m>(&self, limit: &'m MatchedLimit) -> Cow<'m, str> {
        let name = limit.rule.name.as_str();
        let of_rule = self.decisions().filter(|(other, _)| other.rule.id == limit.rule.id);
        match of_rule.count() {
            0 | 1 => Cow::Borrowed(name),
            _ => Cow::Owned(format!("{name}:{}", limit.period)),
        }
    }
}

/// One limit that a request met.
///
/// ```
/// use tollgate::{Gate, rules::Query};
///
/// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
/// let ruling = gate.check(&Query::new().user("alice")?)?;
/// let (limit, decision) = ruling.decisions().next().ok_or("no limit met")?;
/// assert_eq!((limit.rule.name.as_str(), limit.period.to_string().as_str()), ("login", "day"));
/// assert_eq!(decision.remaining(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MatchedLimit {
    /// The rule.
    pub rule: Arc<Rule>,
    /// The window of the limit.
    pub period: Period,
    /// Whether an override put the limit in force.
    pub is_overridden: bool,
    /// What the limit is, if the request asked for that.
    pub details: Option<Box<LimitDetails>>,
}

/// A limit in full: what is needed to enforce it elsewhere.
///
/// ```
/// use tollgate::{Gate, rules::Query};
///
/// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user|ip], limit: 1/day }]".parse()?);
/// let mut query = Query::new().ip("192.0.2.1")?;
/// query.tell_in_full();
/// let ruling = gate.check(&query)?;
/// let (limit, _) = ruling.decisions().next().ok_or("no limit met")?;
/// let details = limit.details.as_ref().ok_or("no details")?;
/// assert_eq!((details.limit.to_string().as_str(), &details.key[..]), ("1/day", &["ip".to_owned()][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LimitDetails {
    /// The limit in force.
    pub limit: Limit,
    /// The facts it counts by, see [`Plan::key_fields`](tollgate_rules::Plan::key_fields).
    pub key: Vec<String>,
    /// How much a request weighs, unless it is what the caller says.
    pub cost: Option<CostRule>,
}

impl MatchedLimit {
    fn new(plan: &Plan<'_>, line: &Line<'_>) -> Self {
        let details = || LimitDetails {
            limit: line.limit().limit.clone(),
            key: plan.key_fields(line),
            cost: line
                .throttle()
                .map(|throttle| throttle.cost.clone())
                .filter(|cost| *cost != CostRule::default()),
        };
        Self {
            rule: Arc::clone(line.rule()),
            period: line.limit().limit.period(),
            is_overridden: line.is_overridden(),
            details: plan.is_told_in_full().then(|| Box::new(details())),
        }
    }
}
