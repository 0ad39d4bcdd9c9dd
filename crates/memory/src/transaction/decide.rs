//! Deciding on counters that nobody else can change.

use smallvec::SmallVec;
use tollgate_core::{Charge, Cost, Decision, Law, State};

use super::{Counter, Transaction};

pub(super) type Decisions = SmallVec<[Decision; 2]>;

impl<'c> Transaction<'_, 'c> {
    /// All charges or none.
    pub(super) fn charge(&mut self, charges: &[Charge<'c>]) -> Decisions {
        let decisions = self.try_charge(charges);
        if decisions.iter().all(Decision::is_allowed) {
            return decisions;
        }
        self.undo();
        // Nothing was charged, so those that would have passed say what they hold.
        let decisions = decisions
            .into_iter()
            .zip(charges)
            .map(|(decision, charge)| {
                if decision.is_allowed() {
                    self.look(charge)
                } else {
                    decision
                }
            });
        let decisions = decisions.collect();
        self.repair();
        decisions
    }

    /// What charging would say.
    pub(super) fn peek(&mut self, charges: &[Charge<'c>]) -> Decisions {
        let decisions = self.charge(charges);
        self.undo();
        decisions
    }

    /// Changes each counter without a decision, then says what it holds.
    pub(super) fn rewrite(
        &mut self,
        charges: &[Charge<'c>],
        change: impl Fn(&Law, State, Cost) -> State,
    ) -> Decisions {
        for charge in charges {
            if let Some(counter) = self.counter(charge) {
                counter.state = change(counter.law, counter.state.clone(), charge.cost);
            }
        }
        charges.iter().map(|charge| self.look(charge)).collect()
    }

    /// Charges one after the other; a counter that is charged twice sees both.
    fn try_charge(&mut self, charges: &[Charge<'c>]) -> Decisions {
        let now = self.now;
        let decisions = charges.iter().filter_map(|charge| {
            let counter = self.counter(charge)?;
            let (decision, next) = charge.limit.step(counter.state.clone(), now, charge.cost);
            counter.state = next;
            Some(decision)
        });
        decisions.collect()
    }

    fn undo(&mut self) {
        for counter in &mut self.counters {
            counter.state = counter.before.clone();
        }
    }

    /// Moves states that a clock left in the future to the present, as a denial alone may do (D7).
    fn repair(&mut self) {
        for counter in &mut self.counters {
            counter.state = counter
                .law
                .step(counter.before.clone(), self.now, Cost::ZERO)
                .1;
        }
    }

    fn look(&mut self, charge: &Charge<'c>) -> Decision {
        let now = self.now;
        let state = self.counter(charge).map(|counter| counter.state.clone());
        let state = state.unwrap_or_else(|| charge.limit.fresh(now));
        charge.limit.step(state, now, Cost::ZERO).0
    }

    fn counter(&mut self, charge: &Charge<'c>) -> Option<&mut Counter<'c>> {
        let (key, period) = (charge.key, charge.limit.period());
        self.counters
            .iter_mut()
            .find(|counter| counter.charge.key == key && counter.charge.limit.period() == period)
    }
}
