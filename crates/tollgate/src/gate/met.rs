//! A limit that a request met.

use std::sync::Arc;

use tollgate_core::Period;
use tollgate_rules::Rule;

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
}
