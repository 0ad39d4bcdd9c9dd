//! The course that most stories take: all is well, something happens, policies answer, all is well again.

use std::net::SocketAddr;

use tollgate_core::OnFailure;

use crate::{
    fleet::{Fleet, POLICIES, Rule},
    load::{Counts, Load},
};

/// More than is spent before the fault, less than is asked for in all.
pub(crate) const UNITS: u64 = 600;

/// More than can be spent.
pub(crate) const ENDLESS: u64 = 1_000_000;

/// What Redis remembers of the time before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    Kept,
    Lost,
}

/// One rule of each policy; those who give back in another way; and two that cannot be spent, so that it shows
/// in the end whether Redis knows of every unit.
pub(crate) fn rules() -> Vec<Rule> {
    let mut rules: Vec<Rule> = POLICIES
        .map(|policy| Rule::new(policy.word(), UNITS, policy))
        .into();
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
    memory: Memory,
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
        // `open` never denies.
        counts.denied_by_policy > 0 || counts.admitted_by_policy > UNITS
    });

    mend_it();
    conclude(fleet, load, memory).await;
}

/// All is well again: what was spent is known to Redis, and the rest is spent to the last unit.
pub(crate) async fn conclude(fleet: &Fleet, load: Load<'_>, memory: Memory) {
    fleet.is_up();
    load.until_redis_decides();
    if memory == Memory::Kept {
        load.until_spent();
    }
    let seen = load.end().await;
    fleet.settle().await;
    is_within_bounds(&seen, memory);
    for (rule, counts) in &seen {
        let left = fleet.left(rule).await;
        let unspent = rule.limit.amount().saturating_sub(counts.total_admitted());
        let word = rule.name();
        match memory {
            Memory::Kept => assert_eq!(left, unspent, "{word}: {counts:?}"),
            Memory::Lost => assert!(left >= unspent, "{word}: {counts:?}"),
        }
    }
}

/// The printed bounds: what Redis admits, and what policies do.
pub(crate) fn is_within_bounds(seen: &[(Rule, Counts)], memory: Memory) {
    for (rule, counts) in seen {
        let units = rule.limit.amount();
        let lives = if memory == Memory::Kept { 1 } else { 2 };
        let word = rule.name();
        assert!(counts.admitted <= lives * units, "{word}: {counts:?}");
        match rule.policy {
            OnFailure::Closed => {
                assert_eq!(counts.admitted_by_policy, 0, "{word}: {counts:?}");
                if memory == Memory::Kept {
                    // Neither more nor less: what was charged to nobody was given back.
                    assert_eq!(counts.admitted, units, "{word}: {counts:?}");
                }
            }
            OnFailure::Local => {
                let bound = (lives + 1) * units;
                assert!(counts.total_admitted() <= bound, "{word}: {counts:?}");
                assert!(counts.admitted_by_policy <= units, "{word}: {counts:?}");
            }
            _ => assert_eq!(counts.denied_by_policy, 0, "{word}: {counts:?}"),
        }
    }
}
