//! Deciding on counters that nobody else can change.

use smallvec::SmallVec;
use tollgate_core::{Answer, Charge, Cost, Decision, OnFailure, Outcome};

use super::{Transaction, counter::Counter};

pub(super) type Decisions = SmallVec<[Decision; 2]>;

impl<'c> Transaction<'_, 'c> {
    /// All charges or none.
    pub(super) fn charge(&mut self, charges: &[Charge<'c>]) -> Decisions {
        let mut decisions = Decisions::new();
        for charge in charges {
            let now = self.now;
            let Some(counter) = self.counter(charge) else {
                continue;
            };
            let (decision, next) = match counter.ask(charge.cost) {
                // A cost of zero sees what the charges before it took, and no more.
                _ if charge.cost.is_zero() => {
                    counter.charge.limit.step(counter.state.clone(), now, Cost::ZERO)
                }
                Some(asked) => counter.charge.limit.step(counter.before.clone(), now, asked),
                None => (counter.never(now), counter.before.clone()),
            };
            counter.state = next;
            decisions.push(decision);
        }
        if decisions.iter().all(Decision::is_allowed) {
            return decisions;
        }
        #[cfg(not(mutant = "denied-request-is-charged-in-part"))]
        self.keep_uncharged();
        // Those that would have passed say what they hold.
        for (decision, charge) in decisions.iter_mut().zip(charges) {
            if decision.is_allowed() {
                *decision = self.look(charge);
            }
        }
        decisions
    }

    /// The policy that answers for a counter whose sketch is not to be relied on; of several the strictest.
    pub(super) fn fallback(&self) -> Option<OnFailure> {
        let policies = self.counters.iter().filter_map(|counter| counter.fallback);
        policies.max_by_key(|policy| match policy {
            OnFailure::Open => 0,
            OnFailure::Closed => 2,
            _ => 1,
        })
    }

    /// Charges nothing; moves a state that a clock left in the future to the present (D7).
    fn keep_uncharged(&mut self) {
        for counter in &mut self.counters {
            counter.state = counter.law.step(counter.before.clone(), self.now, Cost::ZERO).1;
        }
    }

    /// What charging would say.
    pub(super) fn peek(&mut self, charges: &[Charge<'c>]) -> Decisions {
        let decisions = self.charge(charges);
        for counter in &mut self.counters {
            counter.leave_as_found();
        }
        decisions
    }

    /// Gives back without a decision, then says what each counter holds. What stands only in a sketch
    /// stays: others may have used it.
    pub(super) fn refund(&mut self, charges: &[Charge<'c>]) -> Decisions {
        let now = self.now;
        for charge in charges {
            if let Some(counter) = self.counter(charge)
                && !counter.is_sketched()
            {
                counter.state = counter.law.refund(counter.state.clone(), now, charge.cost);
                counter.must_write = true;
            }
        }
        charges.iter().map(|charge| self.look(charge)).collect()
    }

    /// Makes each counter fresh. One that a sketch counts gets a marked place, so that the sketch is
    /// not asked.
    pub(super) fn reset(&mut self, charges: &[Charge<'c>]) -> Decisions {
        let mut counters = std::mem::take(&mut self.counters);
        for counter in &mut counters {
            counter.is_marked = self.is_in_a_sketch(counter);
            counter.state = counter.law.fresh(self.now);
            counter.must_write = true;
        }
        self.counters = counters;
        charges.iter().map(|charge| self.look(charge)).collect()
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

impl Counter<'_> {
    /// What the charges so far ask of this counter together, since all of them must fit; `None` if
    /// that is beyond any limit.
    fn ask(&mut self, cost: Cost) -> Option<Cost> {
        self.asked =
            self.asked.and_then(|asked| asked.get().checked_add(cost.get())).map(Cost::new);
        self.asked
    }

    /// The answer to a cost that no limit can hold.
    fn never(&self, now: tollgate_core::Now) -> Decision {
        let (answer, _) = self.law.step(self.before.clone(), now, Cost::ZERO);
        let outcome = Outcome::Deny { retry_after: None };
        self.charge.limit.decide(Answer { outcome, ..answer })
    }
}
