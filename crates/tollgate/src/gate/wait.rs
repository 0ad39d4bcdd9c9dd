//! The same way for counters that must be waited for.

use smallvec::SmallVec;
use tollgate_core::{Action, Charge, Clock, Now, Store, StoreError, Verdict};
use tollgate_rules::{Plan, Query};

use super::{Gate, NoSnapshot, Ruling, check::needs_counters, check::rule_on, join::join_all};

/// Why a request has no answer.
///
/// ```
/// use tollgate::{NoSnapshot, Unanswered};
///
/// assert_eq!(Unanswered::from(NoSnapshot).to_string(), NoSnapshot.to_string());
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Unanswered {
    /// No rules were ever published.
    NoSnapshot,
    /// The counters could not be asked.
    Store(StoreError),
}

impl std::fmt::Display for Unanswered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoSnapshot => NoSnapshot.fmt(f),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Unanswered {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NoSnapshot => None,
            Self::Store(error) => error.source(),
        }
    }
}

impl From<NoSnapshot> for Unanswered {
    fn from(_: NoSnapshot) -> Self {
        Self::NoSnapshot
    }
}

impl From<StoreError> for Unanswered {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// How many requests are put to the store at once.
const UNDER_WAY_MAX: usize = 64;

impl<S: Store, C: Clock> Gate<S, C> {
    /// As [`Gate::check`], for a store that must be waited for.
    ///
    /// ```
    /// use tollgate::{Clock, Gate, Store, Unanswered, rules::Query};
    ///
    /// async fn serve<S: Store, C: Clock>(gate: &Gate<S, C>) -> Result<u16, Box<dyn std::error::Error>> {
    ///     let ruling = gate.check_async(&Query::new().user("alice")?).await?;
    ///     Ok(ruling.status())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Unanswered`]; a denial is none.
    pub async fn check_async(&self, query: &Query<'_>) -> Result<Ruling, Unanswered> {
        let now = self.now();
        let snapshot = self.live().snapshot().ok_or(NoSnapshot)?;
        let plan = snapshot.plan(query, self.live().directory(), now.wall);
        Ok(self.rule_on_async(&plan, now).await?)
    }

    /// As [`Gate::check_all`], for a store that must be waited for: the requests are put to it together and
    /// each is decided on its own. What came of them is handed over in their order.
    ///
    /// ```
    /// use tollgate::{Clock, Gate, NoSnapshot, Store, rules::Query};
    ///
    /// async fn passed<S: Store, C: Clock>(gate: &Gate<S, C>, all: &[Query<'_>]) -> Result<usize, NoSnapshot> {
    ///     let mut passed = 0;
    ///     gate.check_all_async(all, |_, ruling| passed += usize::from(ruling.is_ok_and(|it| it.is_allowed())))
    ///         .await?;
    ///     Ok(passed)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Gate::check`]; then nothing is handed over.
    pub async fn check_all_async<'q, 'a: 'q>(
        &self,
        queries: impl IntoIterator<Item = &'q Query<'a>>,
        mut decided: impl FnMut(&Plan<'_>, Result<Ruling, StoreError>),
    ) -> Result<(), NoSnapshot> {
        let now = self.now();
        let snapshot = self.live().snapshot().ok_or(NoSnapshot)?;
        let directory = self.live().directory();
        let plan = |query| snapshot.plan(query, directory, now.wall);
        let plans: SmallVec<[Plan<'_>; 1]> = queries.into_iter().map(plan).collect();
        for plans in plans.chunks(UNDER_WAY_MAX) {
            let ruled = join_all(plans.iter().map(|plan| self.rule_on_async(plan, now)));
            let ruled = ruled.await;
            for (plan, ruling) in plans.iter().zip(ruled) {
                decided(plan, ruling);
            }
        }
        Ok(())
    }

    /// As [`Gate::inspect`], for a store that must be waited for.
    ///
    /// ```
    /// use tollgate::{Action, Clock, Gate, Store, rules::Query};
    ///
    /// async fn left<S: Store, C: Clock>(gate: &Gate<S, C>) -> Result<Option<u64>, Box<dyn std::error::Error>> {
    ///     let alice = Query::new().user("alice")?;
    ///     Ok(gate.inspect_async(Action::Peek, &alice).await?.remaining())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Gate::check_async`]; then it was not done, or may have been if the store was waited for in vain.
    pub async fn inspect_async(
        &self,
        action: Action,
        query: &Query<'_>,
    ) -> Result<Ruling, Unanswered> {
        self.inspect_plan(action, None, query).await
    }

    /// As [`Gate::inspect_rule`], for a store that must be waited for.
    ///
    /// ```
    /// use tollgate::{Action, Clock, Gate, Store, rules::Query};
    ///
    /// async fn forgive<S: Store, C: Clock>(gate: &Gate<S, C>) -> Result<(), Box<dyn std::error::Error>> {
    ///     let alice = Query::new().user("alice")?;
    ///     gate.inspect_rule_async(Action::Reset, "login", &alice).await?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Gate::inspect_async`].
    pub async fn inspect_rule_async(
        &self,
        action: Action,
        rule: &str,
        query: &Query<'_>,
    ) -> Result<Ruling, Unanswered> {
        self.inspect_plan(action, Some(rule), query).await
    }

    async fn inspect_plan(
        &self,
        action: Action,
        rule: Option<&str>,
        query: &Query<'_>,
    ) -> Result<Ruling, Unanswered> {
        let now = self.now();
        let snapshot = self.live().snapshot().ok_or(NoSnapshot)?;
        let mut plan = snapshot.plan(query, self.live().directory(), now.wall);
        if let Some(rule) = rule {
            plan.keep_rule(rule);
        }
        let verdict = if needs_counters(&plan) {
            self.store().inspect(action, &plan.charges()).await?
        } else {
            Verdict::of([], now)
        };
        Ok(rule_on(&plan, now, || verdict))
    }

    async fn rule_on_async(&self, plan: &Plan<'_>, now: Now) -> Result<Ruling, StoreError> {
        let verdict = if needs_counters(plan) {
            let charges: SmallVec<[Charge<'_>; 4]> = plan.charges();
            self.store().charge(&charges).await?
        } else {
            Verdict::of([], now)
        };
        Ok(rule_on(plan, now, || verdict))
    }
}
