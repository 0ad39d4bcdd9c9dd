//! The decision core and its model side by side.

use std::{error::Error, fmt};

use tollgate_core::{Cost, Decision, Limit, Now, State};

use crate::model::{Model, ModelAnswer};

/// One key, counted twice: by [`Limit::step`] and by its [`Model`]. Every answer is compared in every
/// field, and so is what is in use; a denied request and a peek must leave the state bit-equal.
///
/// ```
/// use tollgate_core::{Clock, Cost, Limit, ManualClock};
/// use tollgate_sim::Duel;
///
/// let clock = ManualClock::start();
/// let mut duel = Duel::new("3/s".parse::<Limit>()?, clock.now());
/// assert!(duel.step(clock.now(), Cost::new(3))?.is_allowed());
/// assert!(!duel.step(clock.now(), Cost::ONE)?.is_allowed());
/// duel.refund(clock.now(), Cost::ONE)?;
/// assert!(duel.step(clock.now(), Cost::ONE)?.is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Duel {
    limit: Limit,
    state: State,
    model: Model,
    rebases: u64,
}

impl Duel {
    /// A key nobody has used.
    pub fn new(limit: Limit, now: Now) -> Self {
        Self { state: limit.fresh(now), model: Model::new(&limit, now), limit, rebases: 0 }
    }

    /// Asks both for `cost`.
    ///
    /// # Errors
    ///
    /// Where they differ.
    pub fn step(&mut self, now: Now, cost: Cost) -> Result<Decision, Difference> {
        let before = self.model.clone();
        let was_moved = self.model.settle(now);
        let expected = self.model.step(now, cost);
        let former = self.state.clone();
        let (decision, state) = self.limit.step(former.clone(), now, cost);
        self.state = state;
        let doing = || format!("cost {cost} at {now:?} from {former:?} ({before:?})");
        let got = ModelAnswer::from(decision);
        if got != expected {
            return Err(self.difference(doing(), &expected, &got));
        }
        if decision.limit() != self.limit.capacity() {
            return Err(self.difference(doing(), &self.limit.capacity(), &decision.limit()));
        }
        let is_unchanged = cost.is_zero() || !decision.is_allowed();
        if is_unchanged && !was_moved && self.state != former {
            return Err(self.difference(doing(), &former, &self.state));
        }
        self.rebases += u64::from(was_moved);
        self.compare_use(now, doing)?;
        Ok(decision)
    }

    /// Gives `cost` back to both.
    ///
    /// # Errors
    ///
    /// Where they differ in what is then in use.
    pub fn refund(&mut self, now: Now, cost: Cost) -> Result<(), Difference> {
        let former = self.state.clone();
        self.model.refund(now, cost);
        self.state = self.limit.law().refund(former.clone(), now, cost);
        self.compare_use(now, || format!("refund {cost} at {now:?} from {former:?}"))
    }

    /// Goes on under another limit (D14).
    ///
    /// # Errors
    ///
    /// Where they differ in what is then in use.
    pub fn replace_limit(&mut self, limit: Limit, now: Now) -> Result<(), Difference> {
        let former = self.state.clone();
        self.model.replace_limit(&limit, now);
        let old = std::mem::replace(&mut self.limit, limit);
        self.state = self.limit.law().adopt(old.law(), former.clone(), now);
        self.compare_use(now, || format!("change from {old:?} at {now:?} of {former:?}"))
    }

    /// Forgets the state, as a store does, if the core says that nobody would notice.
    pub fn forget_if_fresh(&mut self, now: Now) {
        if self.limit.law().is_fresh(&self.state, now) {
            self.state = self.limit.fresh(now);
        }
    }

    /// The limit now in force.
    pub const fn limit(&self) -> &Limit {
        &self.limit
    }

    /// The core's state.
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// How often counts from the future were moved to the present (D7).
    pub const fn rebases(&self) -> u64 {
        self.rebases
    }

    fn compare_use(&self, now: Now, doing: impl FnOnce() -> String) -> Result<(), Difference> {
        let expected = self.model.used(now);
        let got = self.limit.law().used(&self.state, now);
        if got == expected {
            Ok(())
        } else {
            let (expected, got) = (format!("{expected} in use"), format!("{got} in use"));
            Err(self.difference(doing(), &expected, &got))
        }
    }

    fn difference(
        &self,
        doing: String,
        expected: &dyn fmt::Debug,
        got: &dyn fmt::Debug,
    ) -> Difference {
        Difference {
            limit: format!("{:?}", self.limit),
            doing,
            expected: format!("{expected:?}"),
            got: format!("{got:?}"),
        }
    }
}

/// Where the core and its model part ways.
#[derive(Clone, Debug)]
pub struct Difference {
    limit: String,
    doing: String,
    expected: String,
    got: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the core differs from its model\n   limit {}\n   doing {}\nexpected {}\n     got {}",
            self.limit, self.doing, self.expected, self.got
        )
    }
}

impl Error for Difference {}
