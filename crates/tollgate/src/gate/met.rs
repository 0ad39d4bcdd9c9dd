//! A limit that a request met.

use std::{borrow::Cow, sync::Arc};

use tollgate_core::{Limit, Period};
use tollgate_rules::{CostRule, Line, Plan, Rule};

use super::Ruling;

/// One limit that a request met.
///
/// ```
/// use tollgate::{Gate, rules::Query};
///
/// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
/// let ruling = gate.check(&Query::new().user("alice")?)?;
/// let (met, decision) = ruling.decisions().next().ok_or("no limit met")?;
/// assert_eq!((met.rule.name.as_str(), met.period.to_string().as_str()), ("login", "day"));
/// assert_eq!(decision.remaining(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Met {
    /// The rule.
    pub rule: Arc<Rule>,
    /// The window of the limit.
    pub period: Period,
    /// Whether an override put the limit in force.
    pub is_overridden: bool,
    /// What the limit is, for whoever asked to be told in full.
    pub told: Option<Box<Told>>,
}

/// A limit in full: what somebody needs who would enforce it elsewhere.
///
/// ```
/// use tollgate::{Gate, rules::Query};
///
/// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user|ip], limit: 1/day }]".parse()?);
/// let mut query = Query::new().ip("192.0.2.1")?;
/// query.tell_in_full();
/// let ruling = gate.check(&query)?;
/// let (met, _) = ruling.decisions().next().ok_or("no limit met")?;
/// let told = met.told.as_ref().ok_or("nothing told")?;
/// assert_eq!((told.limit.to_string().as_str(), &told.key[..]), ("1/day", &["ip".to_owned()][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Told {
    /// The limit in force.
    pub limit: Limit,
    /// The facts it counts by, see [`Plan::key_fields`](tollgate_rules::Plan::key_fields).
    pub key: Vec<String>,
    /// How much a request weighs, unless it is what the caller says.
    pub cost: Option<CostRule>,
}

impl Met {
    pub(super) fn new(plan: &Plan<'_>, line: &Line<'_>) -> Self {
        let told = || Told {
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
            told: plan.is_told_in_full().then(|| Box::new(told())),
        }
    }
}

impl Ruling {
    /// Where the limit whose numbers are shown stands among those that were met, if counters were asked.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limits: [5/s, 1/day] }]".parse()?);
    /// assert_eq!(gate.check(&Query::new().user("alice")?)?.shown_place(), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shown_place(&self) -> Option<usize> {
        let (shown, _) = self.shown()?;
        self.decisions()
            .position(|(met, _)| std::ptr::eq(met, shown))
    }

    /// What a limit that was met is called where clients see it: by its rule, with the window where the rule has
    /// several.
    ///
    /// ```
    /// use tollgate::{Gate, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limits: [5/s, 1/day] }]".parse()?);
    /// let ruling = gate.check(&Query::new().user("alice")?)?;
    /// let names: Vec<_> = ruling.decisions().map(|(met, _)| ruling.policy_of(met)).collect();
    /// assert_eq!(names, ["login:s", "login:day"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn policy_of<'m>(&self, met: &'m Met) -> Cow<'m, str> {
        let name = met.rule.name.as_str();
        let of_rule = self
            .decisions()
            .filter(|(other, _)| other.rule.id == met.rule.id);
        match of_rule.count() {
            0 | 1 => Cow::Borrowed(name),
            _ => Cow::Owned(format!("{name}:{}", met.period)),
        }
    }
}
