//! The walk over all rules.

use tollgate_core::{LimitSet, Timestamp};
use tollgate_rules::{
    Action, Block, CostRule, Field, Key, KeyField, Missing, Name, Override, Query, Rule, RuleSet,
    Throttle,
};

use super::{
    conditions, exceptions,
    expected::{Expectation, Expected, ReadableKey, Reason, limit_text},
    keys, order,
};

/// What should become of `query` at `wall` under these rules, the overrides of the API by their ids,
/// and the blocks.
pub fn evaluate(
    rules: &RuleSet,
    api: &[(u64, Override)],
    blocks: &[Block],
    query: &Query<'_>,
    wall: Timestamp,
) -> Expected {
    if let Some(until) = exceptions::blocked(blocks, query, wall) {
        return Expected::Stopped(Reason::Caller(until));
    }
    let tier = query.tier_name().unwrap_or(rules.default_tier.as_str());
    let mut walk: Vec<&Rule> = rules
        .rules
        .values()
        .map(|rule| &**rule)
        .filter(|rule| rule.enabled && conditions::hold(&rule.matches, query, tier))
        .collect();
    walk.sort_by(|one, other| order::first(one, other));

    let mut met = Met {
        rules,
        api,
        query,
        wall,
        tier,
        charges: Vec::new(),
        groups: Vec::new(),
        has_matched: false,
    };
    for rule in walk {
        match &rule.action {
            Action::Throttle(throttle) => {
                if let Some(denial) = met.throttle(rule, throttle) {
                    return Expected::Stopped(denial);
                }
            }
            Action::Block => return Expected::Stopped(Reason::Rule(rule.name.to_string())),
            _allow => {
                met.has_matched = true;
                return met.expected();
            }
        }
    }
    if !met.has_matched {
        met.tier_default();
    }
    met.expected()
}

/// What a request has met so far.
struct Met<'a, 'q> {
    rules: &'a RuleSet,
    api: &'a [(u64, Override)],
    query: &'a Query<'q>,
    wall: Timestamp,
    tier: &'a str,
    charges: Vec<Expectation>,
    groups: Vec<&'a Name>,
    has_matched: bool,
}

impl<'a> Met<'a, '_> {
    fn expected(self) -> Expected {
        Expected::Charged {
            charges: self.charges,
            has_matched: self.has_matched,
        }
    }

    /// A throttle that is about the request; the answer is why it denies, if it does.
    fn throttle(&mut self, rule: &'a Rule, throttle: &'a Throttle) -> Option<Reason> {
        if let Some(group) = &throttle.group
            && self.groups.contains(&group)
        {
            return None;
        }
        let is_asked_for = keys::is_asked_for(&throttle.key, self.query.scope_asked());
        let facts = match keys::facts(&throttle.key, &rule.matches, self.query, self.tier) {
            Ok(facts) => Some(facts),
            Err(_) if throttle.missing == Missing::Shared => None,
            Err(field) if throttle.missing == Missing::Deny => {
                if is_asked_for {
                    let rule = rule.name.to_string();
                    let field = field.to_string();
                    return Some(Reason::Missing { rule, field });
                }
                None
            }
            Err(_) => return None,
        };
        self.has_matched = true;
        self.groups.extend(&throttle.group);
        if is_asked_for {
            let cost = self.cost(&throttle.cost);
            self.charge(rule.name.as_str(), facts.as_deref(), &throttle.limits, cost);
        }
        None
    }

    /// The limits of the tier, by user, API key or address.
    fn tier_default(&mut self) {
        let Some(tier) = self.rules.tiers.get(self.tier) else {
            return;
        };
        let alternatives = [Field::User, Field::ApiKey, Field::Ip];
        let key = KeyField::first_of(alternatives).and_then(|part| Key::new([part]));
        let (Some(limits), Ok(key)) = (&tier.default, key) else {
            return;
        };
        let everything = tollgate_rules::Match::everything();
        let Ok(facts) = keys::facts(&key, &everything, self.query, self.tier) else {
            return;
        };
        self.has_matched = true;
        if keys::is_asked_for(&key, self.query.scope_asked()) {
            let cost = self.query.cost_asked().get();
            self.charge(&format!("tier:{}", tier.name), Some(&facts), limits, cost);
        }
    }

    fn charge(
        &mut self,
        rule: &str,
        facts: Option<&[(Field, String)]>,
        limits: &LimitSet,
        cost: u64,
    ) {
        let exception = facts.and_then(|facts| {
            exceptions::in_force(&self.rules.overrides, self.api, (rule, facts), self.wall)
        });
        let limits = match exception {
            Some(exception) => exceptions::changed(limits, &exception.change),
            None => limits.iter().cloned().collect(),
        };
        let key = match facts {
            None => ReadableKey::Shared,
            Some(facts) => ReadableKey::Facts(
                facts
                    .iter()
                    .map(|(field, value)| (field.to_string(), value.clone()))
                    .collect(),
            ),
        };
        for limit in limits {
            self.charges.push(Expectation {
                rule: rule.to_owned(),
                key: key.clone(),
                limit: limit_text(&limit),
                is_overridden: exception.is_some(),
                cost,
            });
        }
    }

    fn cost(&self, cost: &CostRule) -> u64 {
        let weight = match cost {
            CostRule::Fixed(weight) => weight.get(),
            CostRule::Attribute { name, per } => {
                let number = self.query.attribute_value(name);
                match number.map(str::parse::<u64>) {
                    Some(Ok(number)) => number.div_ceil(per.get()),
                    _ => 1,
                }
            }
            _ => 1,
        };
        weight.saturating_mul(self.query.cost_asked().get())
    }
}
