//! What a node answers by itself when Redis cannot be asked.

use std::num::NonZeroU32;

use smallvec::SmallVec;
use tollgate_core::{
    Action, AlgorithmName, Answer, Charge, Cost, Decision, ImmediateStore, Limit, Micros,
    OnFailure, Outcome,
};

/// When it is worth asking again: a shard that returns does so about that soon.
const ASK_AGAIN: Micros = Micros::from_secs(1);

/// Whether the charges are to be taken, or only looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Charge,
    Look,
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
    let asked: SmallVec<[Decision; 2]> = charges
        .iter()
        .map(|charge| one(local, charge, nodes, Manner::Look))
        .collect();
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

/// An answer that no counter has given: nothing is left.
fn outcome(limit: &Limit, outcome: Outcome) -> Decision {
    limit.decide(Answer {
        outcome,
        used: limit.law().capacity(),
        reset_after: ASK_AGAIN,
    })
}

/// The limit by which this node counts meanwhile; none if it admits nothing.
fn limit_here(charge: &Charge<'_>, nodes: NonZeroU32) -> Option<Limit> {
    match charge.policy.on_failure {
        OnFailure::Open => Some(charge.limit.clone()),
        OnFailure::Local => share(charge.limit, nodes),
        _ => None,
    }
}

/// This node's part of a limit: the parts of all nodes together are at most the whole.
pub(super) fn share(limit: &Limit, nodes: NonZeroU32) -> Option<Limit> {
    let nodes = u64::from(nodes.get());
    let name = limit.algorithm();
    if name == AlgorithmName::Custom {
        return None;
    }
    if nodes == 1 {
        return Some(limit.clone());
    }
    let part = |whole: u64| whole.checked_div(nodes).filter(|part| *part > 0);
    let share = Limit::new(part(limit.amount())?, limit.period()).ok()?;
    let share = share.with_algorithm(name).ok()?;
    let share = match name {
        AlgorithmName::TokenBucket => share.with_burst(part(limit.capacity())?).ok()?,
        AlgorithmName::LeakyBucket => {
            let queue = part(limit.capacity())?.checked_sub(1)?;
            share.with_burst(queue).ok()?
        }
        _ => share,
    };
    share.with_bands(limit.bands()).ok()
}

/// Whether something was taken that Redis has to be told of.
pub(super) fn is_owed(charge: &Charge<'_>) -> bool {
    charge.cost != Cost::ZERO && charge.policy.on_failure != OnFailure::Closed
}

#[cfg(test)]
mod tests {
    use super::*;

    // Proves: C6
    #[test]
    fn the_shares_of_all_nodes_are_at_most_the_whole() {
        let limits = [
            "10/min",
            "7/h fixed_window",
            "100/s burst 33",
            "5/s leaky_bucket burst 9",
            "9/min sliding_log",
        ];
        for text in limits {
            let limit = tollgate_testkit::limit(text);
            for nodes in 1..20 {
                let nodes = NonZeroU32::new(nodes).unwrap();
                let share = share(&limit, nodes);
                let part = share.as_ref().map_or(0, Limit::capacity);
                assert!(
                    part * u64::from(nodes.get()) <= limit.capacity(),
                    "{text} of {nodes}"
                );
                let rate = share.as_ref().map_or(0, Limit::amount);
                assert!(
                    rate * u64::from(nodes.get()) <= limit.amount(),
                    "{text} of {nodes}"
                );
                if let Some(share) = share {
                    assert_eq!(
                        (share.algorithm(), share.period()),
                        (limit.algorithm(), limit.period())
                    );
                }
            }
        }
        let one = NonZeroU32::MIN;
        assert_eq!(
            share(&tollgate_testkit::limit("7/h"), one),
            Some(tollgate_testkit::limit("7/h"))
        );
    }
}
