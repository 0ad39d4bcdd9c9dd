//! The part of a request that leases of this node cover.

use smallvec::SmallVec;
use tokio::time::Instant;
use tollgate_core::{Answer, Charge, Cost, Decision, ImmediateStore, Micros, Outcome, Verdict};

use super::{Fleet, course::TICK, group::Group, policy::Manner, underway::Course};
use crate::{
    exact::Decisions,
    lease::{Denied, Got, Local},
};

/// What others hold and do not spend is back after so many refreshes.
const REFRESHES_TO_RETURN: u64 = 10;

impl<L: ImmediateStore + 'static> Fleet<L> {
    /// Takes all charges, or none; or says what that would come to.
    pub(crate) async fn decide(&self, charges: &[Charge<'_>], manner: Manner) -> Verdict {
        let end = Instant::now() + self.deadline.saturating_sub(TICK.min(self.deadline / 2));
        loop {
            let verdict = self.decide_by(end, charges, manner).await;
            let mut denied = charges.iter().zip(verdict.decisions());
            let is_in_the_way = |(charge, decision): (&Charge<'_>, &Decision)| {
                !decision.is_allowed() && self.holdings.is_in_the_way(charge)
            };
            let is_by_redis = verdict.fallback().is_none() && manner == Manner::Charge;
            let again = Instant::now() + TICK;
            if !is_by_redis || again >= end || !denied.any(is_in_the_way) {
                return verdict;
            }
            // What was granted to this node meanwhile arrives at any moment.
            tokio::time::sleep_until(again).await;
        }
    }

    /// What this node can say of the charges by itself.
    pub(super) fn lease(
        &self,
        charges: &[Charge<'_>],
        manner: Manner,
    ) -> SmallVec<[(usize, Local); 2]> {
        let decide = |charge: &Charge<'_>| match manner {
            Manner::Charge => self.holdings.take(charge),
            Manner::Look => match self.holdings.peek(charge) {
                Some(decision) => Local::Seen(decision),
                None => Local::Elsewhere,
            },
        };
        let is_peek = |charge: &Charge<'_>| charge.cost.is_zero();
        if charges.len() == 1 && manner == Manner::Charge && !charges.iter().any(is_peek) {
            // That was tried before anything else.
            return SmallVec::new();
        }
        let each = charges.iter().map(decide).enumerate();
        each.filter(|(_, local)| !matches!(local, Local::Elsewhere))
            .collect()
    }

    /// Pays as much as leases have of charges that they do not cover: Redis decides on the rest, and what this node holds is
    /// not in the way of its own requests.
    pub(super) fn pay_in_part<'c>(
        &self,
        charges: &[Charge<'c>],
        leased: &[(usize, Local)],
        manner: Manner,
    ) -> (SmallVec<[Got; 1]>, SmallVec<[Charge<'c>; 2]>) {
        let (mut parts, mut rest) = (SmallVec::new(), SmallVec::from_slice(charges));
        let is_denied = |(_, local): &(usize, Local)| matches!(local, Local::Denied(_));
        if manner == Manner::Look || leased.iter().any(is_denied) {
            return (parts, rest);
        }
        for (place, charge) in rest.iter_mut().enumerate() {
            let is_open = !leased.iter().any(|(leased, _)| *leased == place);
            if let Some(got) = is_open.then(|| self.holdings.take_some(charge)).flatten() {
                *charge =
                    charge.with_cost(Cost::new(charge.cost.get().saturating_sub(got.units())));
                parts.push(got);
            }
        }
        (parts, rest)
    }

    pub(super) fn take_leased(
        &self,
        course: &mut Course<'_>,
        leased: SmallVec<[(usize, Local); 2]>,
    ) {
        for (place, local) in leased {
            let decision = match local {
                Local::Got(got) => {
                    course.leased.push((place, got));
                    got.decision
                }
                Local::Denied(decision) | Local::Seen(decision) => decision,
                Local::Elsewhere => continue,
            };
            course.set(&[place], [decision]);
        }
    }

    /// Puts back what was taken from leases, and shows it as if it had not been.
    pub(super) fn undo_leased(&self, course: &mut Course<'_>) {
        for (place, got) in std::mem::take(&mut course.leased) {
            self.holdings.put_back([&got]);
            course.set(&[place], [got.untaken]);
        }
        self.holdings.put_back(&std::mem::take(&mut course.parts));
    }

    /// Lets leases know what Redis has decided. A denial while others hold tokens lasts no longer than they do.
    pub(super) fn meet(
        &self,
        course: &Course<'_>,
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
            let retry_after = decision.retry_after().filter(|_| !decision.is_allowed());
            let denied = retry_after.map(|wait| {
                let returns = Micros::new(refresh.get().saturating_mul(REFRESHES_TO_RETURN));
                let wait = Micros::from(wait);
                let wait = if *held > 0 { wait.min(returns) } else { wait };
                *decision = denial(charge, decision, wait);
                Denied {
                    retry_after: wait,
                    is_held: *held > 0,
                }
            });
            self.holdings.met(charge, item, denied);
        }
    }
}

fn denial(charge: &Charge<'_>, decision: &Decision, wait: Micros) -> Decision {
    charge.limit.decide(Answer {
        outcome: Outcome::Deny {
            retry_after: Some(wait),
        },
        used: charge.limit.law().capacity(),
        reset_after: decision.reset_after().into(),
    })
}
