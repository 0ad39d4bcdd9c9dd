//! Several requests that pass together or not at all.

use futures_util::future::{join, join_all};
use smallvec::SmallVec;
use tollgate_core::{Action, Charge, Clock, Cost, Now, Store, StoreError, Verdict};
use tollgate_rules::{Plan, Query};

use super::{Gate, NoSnapshot, Ruling, Unanswered};

/// One of several requests that pass together or not at all.
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
const USUAL: usize = 4;

/// A part with the limits it meets.
struct Planned<'s> {
    plan: Plan<'s>,
    spend: Spend,
}

impl Planned<'_> {
    fn asks_counters(&self, spend: Spend) -> bool {
        self.spend == spend && self.plan.needs_counters()
    }
}

impl<S: Store, C: Clock> Gate<S, C> {
    /// Charges all requests on every limit they meet, or none of them, and hands over what came of each.
    /// Those that would pass alone are told so even if others stop them; they are not charged then.
    ///
    /// Where a store cannot be looked at, its answer to a charge of nothing stands for the look: so a failure policy
    /// decides that, too.
    ///
    /// # Errors
    ///
    /// As [`Gate::check_async`]; then nothing is handed over.
    pub async fn check_together_async<R>(
        &self,
        parts: &[Part<'_>],
        decided: impl FnOnce(&[(Plan<'_>, Ruling)]) -> R,
    ) -> Result<R, Unanswered> {
        let (now, loaded) = (self.clock().now(), self.live().load());
        let snapshot = loaded.snapshot().ok_or(NoSnapshot)?;
        let all: SmallVec<[Planned<'_>; USUAL]> = parts
            .iter()
            .map(|Part { query, spend }| Planned {
                plan: self.plan(snapshot, query, now),
                spend: *spend,
            })
            .collect();
        let looks = all.iter().filter(|it| it.asks_counters(Spend::Look));
        let looked = join_all(looks.map(|it| self.look(it.plan.charges()))).await;
        let looked: SmallVec<[Verdict; USUAL]> = looked.into_iter().collect::<Result<_, _>>()?;
        let charged = self.charge_parts(&all, &looked, now).await?;
        let rulings = share_out(all, looked, &charged, now);
        Ok(decided(&rulings))
    }

    /// Charges what is to be charged, unless something stops it.
    async fn charge_parts(
        &self,
        all: &[Planned<'_>],
        looked: &[Verdict],
        now: Now,
    ) -> Result<Verdict, StoreError> {
        let charged = all.iter().filter(|it| it.asks_counters(Spend::Charge));
        let charges: SmallVec<[Charge<'_>; 8]> = charged.flat_map(|it| it.plan.charges()).collect();
        let is_stopped = all.iter().any(|it| it.plan.stop().is_some())
            || !looked.iter().all(Verdict::is_allowed);
        match is_stopped {
            _ if charges.is_empty() => Ok(Verdict::of([], now)),
            true => self.look(charges).await,
            false => self.store().charge(&charges).await,
        }
    }

    /// What charging would answer; if that is yes, the numbers as they are without it.
    async fn look<const N: usize>(
        &self,
        charges: SmallVec<[Charge<'_>; N]>,
    ) -> Result<Verdict, StoreError>
    where
        for<'c> [Charge<'c>; N]: smallvec::Array<Item = Charge<'c>>,
    {
        let store = self.store();
        let free: SmallVec<[Charge<'_>; 8]> =
            charges.iter().map(|charge| charge.with_cost(Cost::ZERO)).collect();
        let (asked, looked) =
            join(store.inspect(Action::Peek, &charges), store.inspect(Action::Peek, &free)).await;
        match (asked, looked) {
            (Ok(asked), _) if !asked.is_allowed() => Ok(asked),
            (Ok(_), Ok(looked)) => Ok(looked),
            _ => store.charge(&free).await,
        }
    }
}

/// Gives each part its own of what was decided for all.
fn share_out<'s>(
    all: SmallVec<[Planned<'s>; USUAL]>,
    looked: SmallVec<[Verdict; USUAL]>,
    charged: &Verdict,
    now: Now,
) -> SmallVec<[(Plan<'s>, Ruling); USUAL]> {
    let mut decisions = charged.decisions().iter().copied();
    let mut looked = looked.into_iter();
    let ruled = all.into_iter().map(|Planned { plan, spend }| {
        let ruling = Ruling::without_counters(&plan, now).unwrap_or_else(|| {
            let verdict = match spend {
                Spend::Charge => {
                    let own = decisions.by_ref().take(plan.lines().len());
                    Verdict::of(own, charged.now()).decided_as(charged)
                }
                Spend::Look => looked.next().unwrap_or_else(|| Verdict::of([], now)),
            };
            Ruling::decided(&plan, verdict, now)
        });
        (plan, ruling)
    });
    ruled.collect()
}
