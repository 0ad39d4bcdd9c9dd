//! What a node answers by itself when Redis cannot be asked.

use std::{
    num::NonZeroU32,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use smallvec::SmallVec;
use tollgate_core::{
    Action, Answer, Charge, Cost, Decision, ImmediateStore, Limit, Micros, OnFailure, Outcome,
};

/// When it is worth asking again: a shard that returns does so about that soon.
const ASK_AGAIN: Micros = Micros::from_secs(1);

/// Whether the charges are to be taken, or only looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Charge,
    Look,
}

/// Requests that policies have answered.
#[derive(Debug, Default)]
pub(crate) struct Policies([AtomicU64; 3]);

impl Policies {
    pub(crate) fn totals(&self) -> [u64; 3] {
        self.0.each_ref().map(|count| count.load(Relaxed))
    }

    pub(super) fn count(&self, policy: OnFailure) {
        let [open, closed, local] = &self.0;
        let count = match policy {
            OnFailure::Open => open,
            OnFailure::Closed => closed,
            _ => local,
        };
        count.fetch_add(1, Relaxed);
    }
}

/// Decides charges whose rules count on this node alone.
pub(super) fn here<L: ImmediateStore>(
    local: &L,
    charges: &[Charge<'_>],
    manner: Manner,
) -> SmallVec<[Decision; 2]> {
    let verdict = match manner {
        Manner::Charge => local.charge_now(charges),
        Manner::Look => local.inspect_now(Action::Peek, charges),
    };
    verdict.decisions().into()
}

/// Decides charges by the policies of their rules: all pass, or none is taken.
pub(super) fn by_policy<L: ImmediateStore>(
    local: &L,
    charges: &[Charge<'_>],
    nodes: NonZeroU32,
    manner: Manner,
) -> SmallVec<[Decision; 2]> {
    let asked: SmallVec<[Decision; 2]> =
        charges.iter().map(|charge| one(local, charge, nodes, Manner::Look)).collect();
    if manner == Manner::Look || !asked.iter().all(Decision::is_allowed) {
        return asked;
    }
    let mut taken: SmallVec<[Decision; 2]> = SmallVec::new();
    for charge in charges {
        let decision = one(local, charge, nodes, Manner::Charge);
        let is_allowed = decision.is_allowed();
        taken.push(decision);
        if !is_allowed {
            // Somebody else was faster; what was taken before goes back.
            let before = charges.iter().take(taken.len().saturating_sub(1));
            before.for_each(|charge| undo(local, charge, nodes));
            break;
        }
    }
    let rest = asked.iter().skip(taken.len()).copied();
    let rest: SmallVec<[Decision; 2]> = rest.collect();
    taken.extend(rest);
    taken
}

/// What a charge shows beside one that Redis has denied, or that itself was: so long, as far as was heard.
pub(super) fn heard<L: ImmediateStore>(
    local: &L,
    charge: &Charge<'_>,
    wait: Option<Micros>,
) -> Decision {
    match wait {
        Some(_) => outcome(charge.limit, Outcome::Deny { retry_after: wait }),
        None => {
            let free = [Charge::new(charge.key, charge.limit, Cost::ZERO)];
            *local.inspect_now(Action::Peek, &free).binding()
        }
    }
}

/// Gives back what [`by_policy`] has taken.
pub(super) fn undo<L: ImmediateStore>(local: &L, charge: &Charge<'_>, nodes: NonZeroU32) {
    if let Some(limit) = limit_here(charge, nodes) {
        let taken = Charge::new(charge.key, &limit, charge.cost);
        drop(local.inspect_now(Action::Refund, &[taken]));
    }
}

fn one<L: ImmediateStore>(
    local: &L,
    charge: &Charge<'_>,
    nodes: NonZeroU32,
    manner: Manner,
) -> Decision {
    let Some(limit) = limit_here(charge, nodes) else {
        return match charge.cost.is_zero() {
            true => outcome(charge.limit, Outcome::ALLOW),
            false => refused(charge),
        };
    };
    let counted = [Charge::new(charge.key, &limit, charge.cost)];
    let verdict = match manner {
        Manner::Charge => local.charge_now(&counted),
        Manner::Look => local.inspect_now(Action::Peek, &counted),
    };
    let decision = *verdict.binding();
    let is_too_much = charge.cost.get() > charge.limit.law().capacity();
    if !decision.is_allowed() && decision.retry_after().is_none() && !is_too_much {
        // It is too much for this node's share only.
        return refused(charge);
    }
    match charge.policy.on_failure {
        OnFailure::Open if !decision.is_allowed() => outcome(charge.limit, Outcome::ALLOW),
        _ => decision,
    }
}

/// Nothing is admitted here; it may be elsewhere, or later, unless it can never fit.
fn refused(charge: &Charge<'_>) -> Decision {
    let fits = charge.cost.get() <= charge.limit.law().capacity();
    let retry_after = fits.then_some(ASK_AGAIN);
    outcome(charge.limit, Outcome::Deny { retry_after })
}

/// The same denial, until it is no longer in doubt what is left: not before, unless those that are awaited tell.
pub(super) fn until_known(charge: &Charge<'_>, decision: Decision, wait: Micros) -> Decision {
    let is_strict = limit_here(charge, NonZeroU32::MIN).is_none();
    if decision.is_allowed() || decision.retry_after().is_none() || !is_strict {
        return decision;
    }
    let wait = if wait == Micros::ZERO { ASK_AGAIN } else { wait };
    charge.limit.decide(Answer {
        outcome: Outcome::Deny { retry_after: Some(wait) },
        used: charge.limit.law().capacity(),
        reset_after: wait,
    })
}

/// An answer that no counter has given: nothing is left.
fn outcome(limit: &Limit, outcome: Outcome) -> Decision {
    limit.decide(Answer { outcome, used: limit.law().capacity(), reset_after: ASK_AGAIN })
}

/// The limit by which this node counts meanwhile; none if it admits nothing.
fn limit_here(charge: &Charge<'_>, nodes: NonZeroU32) -> Option<Limit> {
    match charge.policy.on_failure {
        OnFailure::Open => Some(charge.limit.clone()),
        OnFailure::Local => charge.limit.share(nodes),
        _ => None,
    }
}

/// Whether something was taken that Redis has to be told of.
pub(super) fn is_owed(charge: &Charge<'_>) -> bool {
    charge.cost != Cost::ZERO && charge.policy.on_failure != OnFailure::Closed
}
