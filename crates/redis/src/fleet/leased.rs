//! The part of a request that leases of this node cover, and what a denial by Redis is worth beside them.

use smallvec::SmallVec;
use tokio::time::Instant;
use tollgate_core::{Answer, Charge, Cost, Decision, ImmediateStore, Micros, Outcome, Verdict};

use super::{
    Fleet,
    course::{Reach, TICK},
    group::Group,
    policy::Manner,
    underway::Course,
};
use crate::{
    exact::Decisions,
    lease::{Covered, Denied, Reservation},
};

/// What others hold and do not spend is back after so many refreshes.
const REFRESHES_TO_RETURN: u64 = 10;

/// What leases know of one charge.
#[derive(Debug)]
pub(super) enum Leased {
    Covered(Covered),
    Denied(Decision),
    /// Would pass.
    Seen(Decision),
}

/// What leases pay of each charge, and what is left to be decided.
pub(super) type Parts = SmallVec<[Option<Reservation>; 2]>;
pub(super) type Charges<'c> = SmallVec<[Charge<'c>; 2]>;

/// Leases pay nothing.
pub(super) fn unpaid<'c>(charges: &[Charge<'c>]) -> (Parts, Charges<'c>) {
    let nothing = charges.iter().map(|_| None);
    (nothing.collect(), Charges::from_slice(charges))
}

impl<L: ImmediateStore + 'static> Fleet<L> {
    /// Takes all charges, or none; or says what that would come to.
    ///
    /// A denial by Redis that leases of this node may have caused is not believed: once they are out of the way it is asked
    /// again. If that takes longer than the deadline, policies answer, as they do when Redis is silent.
    pub(crate) async fn decide(&self, charges: &[Charge<'_>], manner: Manner) -> Verdict {
        let end = Instant::now() + self.deadline.saturating_sub(TICK.min(self.deadline / 2));
        let is_large = |charge: &Charge<'_>| charge.cost.get() > 1;
        let is_charge = manner == Manner::Charge;
        // A single unit is found in the next lease just as well.
        let mut hold_off =
            (is_charge && charges.iter().any(is_large)).then(|| self.holdings.hold_off(charges));
        let attempt = self.decide_by(end, charges, manner, Reach::Redis).await;
        if !attempt.is_in_doubt {
            return attempt.verdict;
        }
        hold_off.get_or_insert_with(|| self.holdings.hold_off(charges));
        loop {
            let again = Instant::now() + TICK;
            if again >= end {
                break;
            }
            tokio::time::sleep_until(again).await;
            if let Some(verdict) = self.holdings.charge(charges) {
                return verdict;
            }
            if !charges.iter().all(|charge| self.holdings.is_quiet(charge)) {
                continue;
            }
            let attempt = self.decide_by(end, charges, manner, Reach::Redis).await;
            if !attempt.is_in_doubt {
                return attempt.verdict;
            }
        }
        let by_policy = self.decide_by(end, charges, manner, Reach::Policy).await;
        by_policy.verdict
    }

    /// What this node can say of the charges by itself.
    pub(super) fn lease(
        &self,
        charges: &[Charge<'_>],
        manner: Manner,
    ) -> SmallVec<[(usize, Leased); 2]> {
        let decide = |charge: &Charge<'_>| match manner {
            Manner::Charge if !charge.cost.is_zero() => match self.holdings.cover(charge) {
                Some(covered) => Some(Leased::Covered(covered)),
                None => self.holdings.refuse(charge).map(Leased::Denied),
            },
            _ => self.holdings.peek(charge).map(Leased::Seen),
        };
        let is_peek = |charge: &Charge<'_>| charge.cost.is_zero();
        if charges.len() == 1 && manner == Manner::Charge && !charges.iter().any(is_peek) {
            // That was tried before anything else.
            return SmallVec::new();
        }
        let each = charges.iter().map(decide).enumerate();
        each.filter_map(|(place, leased)| Some((place, leased?))).collect()
    }

    /// Pays as much as leases have of charges that they do not cover: Redis decides on the rest, and what this node holds is
    /// not in the way of its own requests.
    pub(super) fn pay_in_part<'c>(
        &self,
        charges: &[Charge<'c>],
        leased: &[(usize, Leased)],
        manner: Manner,
    ) -> (Parts, Charges<'c>) {
        let mut rest = Charges::from_slice(charges);
        let is_denied = |(_, leased): &(usize, Leased)| matches!(leased, Leased::Denied(_));
        if manner == Manner::Look || leased.iter().any(is_denied) {
            return unpaid(charges);
        }
        let pay = |(place, charge): (usize, &mut Charge<'c>)| {
            if leased.iter().any(|(leased, _)| *leased == place) {
                return None;
            }
            let part = self.holdings.pay_in_part(charge)?;
            let cost = charge.cost.get().saturating_sub(part.units());
            *charge = charge.with_cost(Cost::new(cost));
            Some(part)
        };
        let parts = rest.iter_mut().enumerate().map(pay).collect();
        (parts, rest)
    }

    pub(super) fn take_leased(
        &self,
        course: &mut Course<'_>,
        leased: SmallVec<[(usize, Leased); 2]>,
    ) {
        for (place, leased) in leased {
            let decision = match leased {
                Leased::Covered(covered) => {
                    let decision = covered.decision;
                    course.covered.push((place, covered));
                    decision
                }
                Leased::Denied(decision) | Leased::Seen(decision) => decision,
            };
            course.set(&[place], [decision]);
        }
    }

    /// Releases what was set aside of leases, and shows it as if it had not been.
    pub(super) fn undo_leased(&self, course: &mut Course<'_>) {
        for (place, covered) in std::mem::take(&mut course.covered) {
            self.holdings.release(&covered.reservation);
            course.set(&[place], [covered.untaken]);
        }
        for part in std::mem::take(&mut course.parts).iter().flatten() {
            self.holdings.release(part);
        }
    }

    /// Lets leases know what Redis has decided. A denial while others hold tokens lasts no longer than they do; one that
    /// leases of this node may have caused is noted as such, and not remembered.
    pub(super) fn meet(
        &self,
        course: &mut Course<'_>,
        group: &Group,
        decisions: &mut Decisions,
        held: &[u64],
    ) {
        let pairs = group.places.iter().zip(&group.items);
        for (((place, item), decision), held) in pairs.zip(decisions).zip(held) {
            let Some(charge) = course.charges.get(*place) else {
                continue;
            };
            let Ok(refresh) = charge.limit.refresh() else {
                continue;
            };
            if let Some(wait) = decision.retry_after().filter(|_| !decision.is_allowed()) {
                let returns = Micros::new(refresh.get().saturating_mul(REFRESHES_TO_RETURN));
                let wait = Micros::from(wait);
                let wait = if *held > 0 { wait.min(returns) } else { wait };
                *decision = denial(charge, decision, wait);
                let part = course.parts.get(*place).and_then(Option::as_ref);
                let units = part.map_or(0, Reservation::units);
                let cost = charge.cost.get().saturating_add(units);
                let whole = charge.with_cost(Cost::new(cost));
                if self.holdings.is_final(&whole, part) {
                    let denied = Denied { retry_after: wait, is_held: *held > 0 };
                    self.holdings.deny(&whole, denied);
                } else if course.manner == Manner::Charge {
                    course.in_doubt.push(*place);
                }
            }
            self.holdings.met(charge, item);
        }
    }
}

fn denial(charge: &Charge<'_>, decision: &Decision, wait: Micros) -> Decision {
    charge.limit.decide(Answer {
        outcome: Outcome::Deny { retry_after: Some(wait) },
        used: charge.limit.law().capacity(),
        reset_after: decision.reset_after().into(),
    })
}
