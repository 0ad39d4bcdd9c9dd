//! Several requests that pass together or not at all, for counters that must be waited for.

use smallvec::SmallVec;
use tollgate_core::{Action, Charge, Clock, Now, Store, StoreError, Verdict};
use tollgate_rules::Plan;

use super::{
    Gate, NoSnapshot, Part, Ruling, Spend, Unanswered,
    together::{Asked, USUAL, for_free},
};

impl<S: Store, C: Clock> Gate<S, C> {
    /// As [`Gate::check_together`], for a store that must be waited for. Where such a store cannot be looked
    /// at, its answer to a charge of nothing stands for the look: so a failure policy decides that, too.
    ///
    /// ```
    /// use tollgate::{Clock, Gate, Part, Store, Unanswered};
    ///
    /// async fn may_pass<S: Store, C: Clock>(gate: &Gate<S, C>, parts: &[Part<'_>]) -> Result<bool, Unanswered> {
    ///     gate.check_together_async(parts, |all| all.iter().all(|(_, ruling)| ruling.is_allowed())).await
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Gate::check_async`]; then nothing is handed over.
    pub async fn check_together_async<R>(
        &self,
        parts: &[Part<'_>],
        decided: impl FnOnce(&[(Plan<'_>, Ruling)]) -> R,
    ) -> Result<R, Unanswered> {
        let now = self.now();
        let snapshot = self.live().snapshot().ok_or(NoSnapshot)?;
        let directory = self.live().directory();
        let plan = |part: &Part<'_>| snapshot.plan(&part.query, directory, now.wall);
        let plans: SmallVec<[Plan<'_>; USUAL]> = parts.iter().map(plan).collect();
        let rulings = self.rule_together_async(parts, &plans, now).await?;
        let all: SmallVec<[_; USUAL]> = plans.into_iter().zip(rulings).collect();
        Ok(decided(&all))
    }

    async fn rule_together_async(
        &self,
        parts: &[Part<'_>],
        plans: &[Plan<'_>],
        now: Now,
    ) -> Result<SmallVec<[Ruling; USUAL]>, StoreError> {
        let charges: SmallVec<[_; USUAL]> = plans.iter().map(Plan::charges).collect();
        let asked = Asked {
            parts,
            plans,
            charges: &charges,
        };
        let mut looked: SmallVec<[Verdict; USUAL]> = SmallVec::new();
        for charges in asked.by(Spend::Look) {
            looked.push(self.as_it_stands_async(charges).await?);
        }
        let charging = asked.charging();
        let charged = match charging.as_slice() {
            [] => Verdict::of([], now),
            charging if asked.is_stopped(&looked) => self.as_it_stands_async(charging).await?,
            charging => self.store().charge(charging).await?,
        };
        Ok(asked.share_out(looked, &charged, now))
    }

    async fn as_it_stands_async(&self, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        let store = self.store();
        match store.inspect(Action::Peek, charges).await {
            Ok(asked) if !asked.is_allowed() => return Ok(asked),
            Ok(_) => {
                if let Ok(free) = store.inspect(Action::Peek, &for_free(charges)).await {
                    return Ok(free);
                }
            }
            Err(_) => {}
        }
        store.charge(&for_free(charges)).await
    }
}
