//! The course that most stories take: all is well, something happens, policies answer, all is well again.

use std::net::SocketAddr;

use tollgate_core::OnFailure;

use super::{
    fleet::{Fleet, POLICIES, Rule},
    load::{Counts, Load},
};

/// More than is spent before the fault, less than is asked for in all.
pub(crate) const UNITS: u64 = 600;

/// More than can be spent.
pub(crate) const ENDLESS: u64 = 1_000_000;

/// One rule of each policy; those who give back in another way; and two that cannot be spent, so that it shows
/// in the end whether Redis knows of every unit.
pub(crate) fn rules() -> Vec<Rule> {
    let mut rules: Vec<Rule> =
        POLICIES.map(|policy| Rule::new(policy.word(), UNITS, policy)).into();
    for algorithm in ["fixed_window", "sliding_window", "sliding_log"] {
        rules.push(Rule::by(algorithm, algorithm, UNITS, OnFailure::Closed));
    }
    for policy in [OnFailure::Open, OnFailure::Local] {
        let user = format!("roomy-{}", policy.word());
        rules.push(Rule::by("fixed_window", user, ENDLESS, policy));
    }
    rules
}

/// Tells the story of a server at `address`: `break_it`, then `mend_it`.
pub(crate) async fn tell(
    fleet: &Fleet,
    address: SocketAddr,
    break_it: impl FnOnce(),
    mend_it: impl FnOnce(),
) {
    fleet.is_up();
    let load = Load::start(fleet, rules());
    load.until_redis_decides();

    break_it();
    fleet.is_down(address);
    load.until_policies_decide();
    load.until("all that may be spent meanwhile", |counts| {
        // `open` denies only what Redis has denied before.
        counts.denied_by_policy > 0 || counts.admitted_by_policy > UNITS
    });

    mend_it();
    conclude(fleet, load).await;
}

/// All is well again: what was spent is known to Redis, whether it has kept its memory or was told again, and the rest is
/// spent to the last unit.
pub(crate) async fn conclude(fleet: &Fleet, load: Load<'_>) {
    fleet.is_up();
    load.until_redis_decides();
    load.until_spent();
    let seen = load.end().await;
    fleet.settle().await;
    is_within_bounds(&seen);
    is_known(fleet, &seen).await;
}

/// Redis knows of every unit.
pub(crate) async fn is_known(fleet: &Fleet, seen: &[(Rule, Counts)]) {
    for (rule, counts) in seen {
        let left = fleet.left(rule).await;
        let unspent = rule.limit.amount().saturating_sub(counts.total_admitted());
        assert_eq!(left, unspent, "{}: {counts:?}", rule.name());
    }
}

/// The printed bounds: what Redis admits, and what policies do.
fn is_within_bounds(seen: &[(Rule, Counts)]) {
    for (rule, counts) in seen {
        let units = rule.limit.amount();
        let word = rule.name();
        assert!(counts.admitted <= units, "{word}: {counts:?}");
        match rule.policy {
            OnFailure::Closed => {
                assert_eq!(counts.admitted_by_policy, 0, "{word}: {counts:?}");
                // Neither more nor less: what was charged to nobody was given back.
                assert_eq!(counts.admitted, units, "{word}: {counts:?}");
            }
            OnFailure::Local => {
                assert!(counts.total_admitted() <= 2 * units, "{word}: {counts:?}");
                assert!(counts.admitted_by_policy <= units, "{word}: {counts:?}");
            }
            // `open` denies nothing but what Redis has denied before.
            _ => {
                let is_known = counts.denied > 0 || counts.denied_by_policy == 0;
                assert!(is_known, "{word}: {counts:?}");
            }
        }
    }
}
