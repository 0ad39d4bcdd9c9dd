//! Several requests that pass together or not at all.

use smallvec::SmallVec;
use tollgate_core::{Action, Charge, Clock, Cost, ImmediateStore, Now, Verdict};
use tollgate_rules::{Plan, Query};

use super::{
    Gate, NoSnapshot, Ruling,
    check::{needs_counters, rule_on},
};

/// One of several requests that pass together or not at all.
///
/// ```
/// use tollgate::{Part, Spend, rules::Query};
///
/// let part = Part { query: Query::new().user("alice")?, spend: Spend::Look };
/// assert_ne!(part.spend, Spend::Charge);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// The facts.
    pub query: Query<'a>,
    /// Whether it is charged.
    pub spend: Spend,
}

/// Whether a request is charged.
///
/// ```
/// assert_ne!(tollgate::Spend::Charge, tollgate::Spend::Look);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spend {
    /// It is, if all pass.
    Charge,
    /// It is not, but the others pass only if it would.
    Look,
}

/// How many requests of a set are usual.
pub(super) const USUAL: usize = 4;

impl<S: ImmediateStore, C: Clock> Gate<S, C> {
    /// Charges all requests on every limit they meet, or none of them, and hands over what came of each.
    /// Those that would pass alone are told so even if others stop them; they are not charged then.
    ///
    /// ```
    /// use tollgate::{Gate, Part, Spend, rules::Query};
    ///
    /// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: login, key: [user], limit: 1/day }]".parse()?);
    /// let part = |user| Query::new().user(user).map(|query| Part { query, spend: Spend::Charge });
    /// let passes = |parts: &[Part<'_>]| {
    ///     gate.check_together(parts, |all| all.iter().map(|(_, ruling)| ruling.is_allowed()).collect::<Vec<_>>())
    /// };
    /// assert_eq!(passes(&[part("alice")?])?, [true]);
    /// assert_eq!(passes(&[part("alice")?, part("bob")?])?, [false, true]);
    /// assert_eq!(passes(&[part("bob")?])?, [true]); // bob was not charged for what stopped alice
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Gate::check`]; then nothing is handed over.
    pub fn check_together<R>(
        &self,
        parts: &[Part<'_>],
        decided: impl FnOnce(&[(Plan<'_>, Ruling)]) -> R,
    ) -> Result<R, NoSnapshot> {
        let now = self.now();
        let directory = self.live().directory();
        let all = self.live().with_snapshot(|snapshot| {
            let plan = |part: &Part<'_>| snapshot.plan(&part.query, directory, now.wall);
            let plans: SmallVec<[Plan<'_>; USUAL]> = parts.iter().map(plan).collect();
            let rulings = self.rule_together(parts, &plans, now);
            let all: SmallVec<[_; USUAL]> = plans.into_iter().zip(rulings).collect();
            decided(&all)
        });
        all.ok_or(NoSnapshot)
    }

    fn rule_together(
        &self,
        parts: &[Part<'_>],
        plans: &[Plan<'_>],
        now: Now,
    ) -> SmallVec<[Ruling; USUAL]> {
        let charges: SmallVec<[_; USUAL]> = plans.iter().map(Plan::charges).collect();
        let asked = Asked {
            parts,
            plans,
            charges: &charges,
        };
        let looked: SmallVec<[Verdict; USUAL]> = asked
            .by(Spend::Look)
            .map(|charges| self.as_it_stands(charges))
            .collect();
        let charging = asked.charging();
        let charged = match charging.as_slice() {
            [] => Verdict::of([], now),
            charging if asked.is_stopped(&looked) => self.as_it_stands(charging),
            charging => self.store().charge_now(charging),
        };
        asked.share_out(looked, &charged, now)
    }

    /// What charging would answer; if that is yes, the numbers as they are without it.
    fn as_it_stands(&self, charges: &[Charge<'_>]) -> Verdict {
        let asked = self.store().inspect_now(Action::Peek, charges);
        if !asked.is_allowed() {
            return asked;
        }
        self.store().inspect_now(Action::Peek, &for_free(charges))
    }
}

/// Requests that are decided together, with what they are charged.
pub(super) struct Asked<'a, 'p, 's, 'c> {
    pub(super) parts: &'a [Part<'p>],
    pub(super) plans: &'a [Plan<'s>],
    pub(super) charges: &'a [SmallVec<[Charge<'c>; 4]>],
}

impl<'a, 'c> Asked<'a, '_, '_, 'c> {
    /// What those are charged that need counters.
    pub(super) fn by(&self, spend: Spend) -> impl Iterator<Item = &'a [Charge<'c>]> {
        let asked = self.parts.iter().zip(self.plans).zip(self.charges);
        let asked =
            asked.filter(move |((part, plan), _)| part.spend == spend && needs_counters(plan));
        asked.map(|(_, charges)| charges.as_slice())
    }

    /// All that is to be charged at once.
    pub(super) fn charging(&self) -> SmallVec<[Charge<'c>; 8]> {
        self.by(Spend::Charge).flatten().copied().collect()
    }

    /// Whether nothing can be charged, whatever the counters of the others say.
    pub(super) fn is_stopped(&self, looked: &[Verdict]) -> bool {
        self.plans.iter().any(|plan| plan.stop().is_some())
            || !looked.iter().all(Verdict::is_allowed)
    }

    /// What came of each.
    pub(super) fn share_out(
        &self,
        looked: SmallVec<[Verdict; USUAL]>,
        charged: &Verdict,
        now: Now,
    ) -> SmallVec<[Ruling; USUAL]> {
        let mut decisions = charged.decisions().iter().copied();
        let mut looked = looked.into_iter();
        let asked = self.parts.iter().zip(self.plans).zip(self.charges);
        let ruled = asked.map(|((part, plan), charges)| {
            rule_on(plan, now, || match part.spend {
                Spend::Charge => {
                    let own = Verdict::of(decisions.by_ref().take(charges.len()), charged.now());
                    own.decided_as(charged)
                }
                Spend::Look => looked.next().unwrap_or_else(|| Verdict::of([], now)),
            })
        });
        ruled.collect()
    }
}

/// The same charges, of nothing.
pub(super) fn for_free<'a>(charges: &[Charge<'a>]) -> SmallVec<[Charge<'a>; 8]> {
    let free = charges.iter().map(|charge| charge.with_cost(Cost::ZERO));
    free.collect()
}
