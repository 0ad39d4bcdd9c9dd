//! A hash of what a rule set means.

use std::fmt;

use tollgate_core::{Limit, LimitSet, Period};

use super::items::{override_json, rule_json, tier_json};
use crate::{Action, AttributeCondition, Change, Override, Rule, RuleSet, Tier};

/// Equal for rule sets that say the same, in whatever order they say it. Prints as 64 digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash with these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes of the hash.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The hash of a rule set.
///
/// ```
/// use tollgate_rules::{RuleSet, document::content_hash};
///
/// let hash = content_hash(&RuleSet::default());
/// assert_eq!(hash, content_hash(&RuleSet::default()));
/// assert_eq!(hash.to_string().len(), 64);
/// ```
pub fn content_hash(set: &RuleSet) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    let mut add = |kind: &str, content: &str| {
        // A length before each part keeps two lists of parts from looking alike.
        for part in [kind, content] {
            let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
            hasher.update(&length.to_be_bytes());
            hasher.update(part.as_bytes());
        }
    };
    add("default_tier", set.default_tier.as_str());
    for tier in set.tiers.values() {
        add("tier", &tier_json(&plain_tier(tier)).to_string());
    }
    for rule in set.rules.values() {
        add("rule", &rule_json(&plain_rule(rule)).to_string());
    }
    let overrides = set.overrides.iter().map(plain_override);
    let mut overrides: Vec<String> = overrides.map(|one| override_json(&one).to_string()).collect();
    overrides.sort_unstable();
    for exception in overrides {
        add("override", &exception);
    }
    ContentHash(*hasher.finalize().as_bytes())
}

/// The same rule with everything whose order has no meaning in order.
fn plain_rule(rule: &Rule) -> Rule {
    let mut rule = rule.clone();
    let matches = &mut rule.matches;
    matches.tiers.sort_unstable();
    for texts in
        [&mut matches.users, &mut matches.orgs, &mut matches.api_keys, &mut matches.regions]
    {
        texts.sort_unstable();
    }
    matches.methods.sort_unstable();
    matches.networks.sort_unstable();
    for condition in matches.attributes.values_mut() {
        if let AttributeCondition::OneOf(values) = condition {
            values.sort_unstable();
        }
    }
    if let Action::Throttle(throttle) = &mut rule.action {
        throttle.limits = plain_limits(&throttle.limits);
    }
    rule
}

fn plain_tier(tier: &Tier) -> Tier {
    let mut tier = tier.clone();
    tier.default = tier.default.as_ref().map(plain_limits);
    tier
}

fn plain_override(exception: &Override) -> Override {
    let mut exception = exception.clone();
    exception.change = match &exception.change {
        Change::Limit(limit) => Change::Limit(plain_limit(limit)),
        Change::Limits(limits) => Change::Limits(plain_limits(limits)),
        other => other.clone(),
    };
    exception
}

fn plain_limits(limits: &LimitSet) -> LimitSet {
    let mut plain: Vec<Limit> = limits.iter().map(plain_limit).collect();
    plain.sort_by_key(|limit| limit.period().id());
    LimitSet::new(plain).unwrap_or_else(|_| limits.clone())
}

/// One spelling for `60s` and `min`.
fn plain_limit(limit: &Limit) -> Limit {
    let rebuilt = || {
        let period = Period::from_id(limit.period().id())?;
        let plain = Limit::new(limit.amount(), period).ok()?;
        let plain = match limit.chosen_algorithm() {
            Some(name) => plain.with_algorithm(name).ok()?,
            None => plain,
        };
        let plain = match limit.burst() {
            Some(burst) => plain.with_burst(burst).ok()?,
            None => plain,
        };
        plain.with_bands(limit.bands()).ok()
    };
    rebuilt().unwrap_or_else(|| limit.clone())
}
