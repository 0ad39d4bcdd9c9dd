//! The walk over all rules.

use tollgate_core::{LimitSet, Timestamp};
use tollgate_rules::{
    Action, ApiKey, Block, CostRule, Field, Key, KeyField, Missing, Name, Override, Query, Quota,
    Rule, RuleSet, Throttle,
};

use super::{
    conditions, exceptions,
    expected::{Expectation, Expected, ReadableKey, Reason, limit_text},
    keys, order,
};

/// What stands beside the rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// The overrides of the API by their ids.
    pub api: &'a [(u64, Override)],
    /// The blocks.
    pub blocks: &'a [Block],
    /// The API keys.
    pub keys: &'a [ApiKey],
    /// The quotas.
    pub quotas: &'a [Quota],
}

/// A rule, or the limits of an API key or a user, as they are walked.
enum Item<'a> {
    Rule(&'a Rule),
    Own(String, Field, &'a LimitSet),
}

/// What should become of `query` at `wall` under these rules and what stands beside them.
pub fn evaluate(
    rules: &RuleSet,
    beside: Beside<'_>,
    query: &Query<'_>,
    wall: Timestamp,
) -> Expected {
    if let Some(until) = exceptions::blocked(beside.blocks, query, wall) {
        return Expected::Stopped(Reason::Caller(until));
    }
    let mut quotas = beside.quotas.iter();
    let quota = quotas.find(|quota| query.user_name() == Some(&*quota.user));
    let agreed = quota.and_then(|quota| quota.tier.as_deref());
    let tier = query.tier_name().or(agreed);
    // A tier that is not declared counts as the default.
    let tier = tier.filter(|tier| rules.tiers.contains_key(*tier));
    let tier = tier.unwrap_or(rules.default_tier.as_str());
    let own = own(beside, quota, query);
    let has_own = !own.is_empty();
    let has_agreed = quota.is_some_and(|quota| quota.limits.is_some());
    let walk = walk(rules, own, query, tier);

    let mut met = Met {
        rules,
        api: beside.api,
        query,
        wall,
        tier,
        charges: Vec::new(),
        groups: Vec::new(),
        has_matched: false,
    };
    for (_, item) in walk {
        let rule = match item {
            Item::Rule(rule) => rule,
            Item::Own(name, field, limits) => {
                met.own(&name, &field, limits);
                continue;
            }
        };
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
    if !met.has_matched && !has_agreed {
        met.tier_default();
    }
    met.has_matched |= has_own;
    met.expected()
}

/// The limits of the API key and of the user, in the order in which they are met.
fn own<'a>(beside: Beside<'a>, quota: Option<&'a Quota>, query: &Query<'_>) -> Vec<Item<'a>> {
    let mut keys = beside.keys.iter();
    let key = keys.find(|key| query.api_key_id() == Some(&*key.id));
    let of_key = key.and_then(|key| {
        let name = format!("api-key:{}", key.id);
        Some(Item::Own(name, Field::ApiKey, key.limits.as_ref()?))
    });
    let of_user = quota.and_then(|quota| {
        let name = format!("quota:{}", quota.user);
        Some(Item::Own(name, Field::User, quota.limits.as_ref()?))
    });
    of_key.into_iter().chain(of_user).collect()
}

/// All that is about the request, in order. Limits of a key or a user stand as a rule of priority 0 that names one caller and
/// nothing else; no other rule is called so.
fn walk<'a>(
    rules: &'a RuleSet,
    own: Vec<Item<'a>>,
    query: &Query<'_>,
    tier: &str,
) -> Vec<(Rule, Item<'a>)> {
    let about = rules.rules.values().map(|rule| &**rule);
    let about = about.filter(|rule| rule.enabled && conditions::hold(&rule.matches, query, tier));
    let mut walk: Vec<(Rule, Item<'_>)> =
        about.map(|rule| (rule.clone(), Item::Rule(rule))).collect();
    for (place, own) in ["a-api-key", "a-quota"].into_iter().zip(own) {
        if let Ok(name) = place.parse() {
            let mut rule = Rule::new(name, Action::Block);
            rule.matches.users.push("somebody".into());
            walk.push((rule, own));
        }
    }
    walk.sort_by(|(one, _), (other, _)| order::first(one, other));
    walk
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
        Expected::Charged { charges: self.charges, has_matched: self.has_matched }
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

    /// The limits of an API key or a user.
    fn own(&mut self, name: &str, field: &Field, limits: &LimitSet) {
        let Ok(key) = Key::new([KeyField::from(field.clone())]) else {
            return;
        };
        let everything = tollgate_rules::Match::everything();
        let facts = keys::facts(&key, &everything, self.query, self.tier);
        if let (Ok(facts), true) = (facts, keys::is_asked_for(&key, self.query.scope_asked())) {
            let cost = self.query.cost_asked().get();
            self.charge(name, Some(&facts), limits, cost);
        }
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
                facts.iter().map(|(field, value)| (field.to_string(), value.clone())).collect(),
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
