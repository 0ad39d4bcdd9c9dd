//! Several requests that pass together or not at all, for counters that must be waited for.

use smallvec::SmallVec;
use tollgate_core::{Action, Charge, Clock, Now, Store, StoreError, Verdict};
use tollgate_rules::Plan;

use super::{
    Gate, NoSnapshot, Part, Ruling, Spend, Unanswered,
    join::join_all,
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
        let looks = asked.by(Spend::Look);
        let looks = looks.map(|charges| self.as_it_stands_async(charges));
        let looked: Result<SmallVec<[Verdict; USUAL]>, _> =
            join_all(looks).await.into_iter().collect();
        let looked = looked?;
        let charging = asked.charging();
        let charged = match charging.as_slice() {
            [] => Verdict::of([], now),
            charging if asked.is_stopped(&looked) => self.as_it_stands_async(charging).await?,
            charging => self.store().charge(charging).await?,
        };
        Ok(asked.share_out(looked, &charged, now))
    }

    async fn as_it_stands_async(&self, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        let (store, free) = (self.store(), for_free(charges));
        let both = [charges, &free].map(|charges| store.inspect(Action::Peek, charges));
        let mut both = join_all(both).await.into_iter();
        match (both.next(), both.next()) {
            (Some(Ok(asked)), _) if !asked.is_allowed() => Ok(asked),
            (Some(Ok(_)), Some(Ok(looked))) => Ok(looked),
            _ => store.charge(&free).await,
        }
    }
}
