//! Whether limits can be counted where the counters are.

use serde_json::Value;
use tollgate_rules::{
    Override, Rule, RuleSet, Tier,
    review::{Flaw, review_for_redis, review_overrides_for_redis},
};

use super::{call::Call, problem::Problem, trouble};
use crate::counting::Counting;

/// Refuses a rule whose limits are too large for that.
pub(super) fn rule(call: &Call, rule: &Rule) -> Result<(), Problem> {
    let mut alone = RuleSet::default();
    alone.rules.insert(rule.name.clone(), rule.clone().into());
    set(call, &alone)
}

/// Refuses a tier whose default limits are.
pub(super) fn tier(call: &Call, tier: &Tier) -> Result<(), Problem> {
    let mut alone = RuleSet::default();
    alone.tiers.insert(tier.name.clone(), tier.clone());
    set(call, &alone)
}

/// Refuses a whole set of which some are.
pub(super) fn set(call: &Call, set: &RuleSet) -> Result<(), Problem> {
    match call.state.engine.counting() {
        Counting::Alone => Ok(()),
        Counting::Shared(_) => refused(&review_for_redis(set)),
    }
}

/// Refuses overrides of which some put such limits in force.
pub(super) fn overrides(call: &Call, set: &RuleSet, all: &[Override]) -> Result<(), Problem> {
    match call.state.engine.counting() {
        Counting::Alone => Ok(()),
        Counting::Shared(_) => refused(&review_overrides_for_redis(set, all)),
    }
}

fn refused(flaws: &[Flaw]) -> Result<(), Problem> {
    if flaws.is_empty() {
        return Ok(());
    }
    let errors: Vec<Value> = trouble::told(flaws);
    let detail = "a limit cannot be counted in Redis, where this server counts";
    Err(Problem::invalid(detail, errors))
}
