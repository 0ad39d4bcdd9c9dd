//! Limits that cannot be counted in Redis.

use tollgate_core::{Consistency, Limit, LimitLine, LimitSet};

use super::{Flaw, Locus, walk::throttle};
use crate::{Override, RuleSet, Throttle};

/// Everything in a rule set that counters in Redis cannot hold exactly: errors for whoever uses it there.
///
/// ```
/// use tollgate_rules::{RuleSet, review::review_for_redis};
///
/// let rules = "version: 1\nrules: [{ name: huge, key: [user], missing: shared, limit: 10000000000000000/day }]";
/// let flaws = review_for_redis(&rules.parse::<RuleSet>()?);
/// assert_eq!(flaws[0].at.to_string(), "rule \"huge\", field limit");
/// # Ok::<(), tollgate_rules::document::Report>(())
/// ```
pub fn review_for_redis(set: &RuleSet) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    for rule in set.rules.values() {
        let Some(throttle) = throttle(rule).filter(|throttle| is_shared(throttle)) else {
            continue;
        };
        let field = match throttle.limits.iter().count() {
            1 => "limit",
            _ => "limits",
        };
        let at = Locus::rule(&rule.name, field);
        flaws.extend(unfit(throttle.limits.iter(), &at));
    }
    for tier in set.tiers.values() {
        let limits = tier.default.iter().flat_map(LimitSet::iter);
        flaws.extend(unfit(limits, &Locus::Tier(tier.name.clone())));
    }
    flaws.extend(review_overrides_for_redis(set, &set.overrides));
    flaws
}

/// The same of overrides that stand beside a rule set. The index of a flaw's locus is the place in
/// `overrides`.
pub fn review_overrides_for_redis(set: &RuleSet, overrides: &[Override]) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    for (index, exception) in overrides.iter().enumerate() {
        let at = Locus::Override { index, field: None };
        flaws.extend(unfit(counted(set, exception).iter(), &at));
    }
    flaws
}

/// The limits that an override puts in force, as far as it says; those of a rule complete it.
fn counted(set: &RuleSet, exception: &Override) -> Vec<Limit> {
    let rule = exception.rule.as_ref().and_then(|name| set.rules.get(name));
    let throttle = rule.and_then(|rule| throttle(rule));
    if throttle.is_some_and(|throttle| !is_shared(throttle)) {
        return Vec::new();
    }
    let limits =
        throttle.map_or_else(Vec::new, |throttle| throttle.limits.iter().cloned().collect());
    let lines: Vec<LimitLine> = limits.into_iter().map(LimitLine::only).collect();
    let counted = exception.change.apply(&lines).unwrap_or_default();
    let counted: Vec<Limit> = counted.into_iter().map(|line| line.limit).collect();
    match &exception.change {
        crate::Change::Limit(limit) if counted.is_empty() => vec![limit.clone()],
        _ => counted,
    }
}

fn is_shared(throttle: &Throttle) -> bool {
    throttle.consistency != Consistency::Local
}

fn unfit<'l>(limits: impl Iterator<Item = &'l Limit>, at: &Locus) -> Option<Flaw> {
    let mut errors = limits.filter_map(|limit| Some((limit, limit.fits_scripts().err()?)));
    let (limit, error) = errors.next()?;
    Some(Flaw::error(at.clone(), format!("{limit}: {error}")))
}
