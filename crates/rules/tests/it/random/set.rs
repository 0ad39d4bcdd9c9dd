//! Rules, tiers and overrides, and sets of them.

use std::sync::Arc;

use tollgate_core::{Consistency, Limit, OnFailure, Timestamp};
use tollgate_rules::{Action, Change, Field, Missing, Override, Rule, RuleSet, Throttle, Tier};
use tollgate_testkit::Rng;

use super::parts::{TIERS, key, limits, matches, name, some, text};

fn throttle(rng: &mut Rng) -> Throttle {
    let mut throttle = Throttle::new(key(rng), limits(rng));
    throttle.missing = rng.pick(&[Missing::Skip, Missing::Shared, Missing::Deny]);
    throttle.group = some(rng, 3, name);
    throttle.cost =
        rng.pick(&["1", "7", "attributes.bytes", "attributes.日本 / 1024"]).parse().unwrap();
    throttle.consistency = rng.pick(&[Consistency::Exact, Consistency::Leased, Consistency::Local]);
    throttle.on_failure = rng.pick(&[OnFailure::Open, OnFailure::Closed, OnFailure::Local]);
    throttle
}

fn rule(rng: &mut Rng) -> Rule {
    let action = match rng.below(5) {
        0 => Action::Block,
        1 => Action::Allow,
        _ => Action::Throttle(throttle(rng)),
    };
    let mut rule = Rule::new(name(rng), action);
    rule.renamed_from = some(rng, 5, |rng| format!("old{}", rng.word()).parse().unwrap());
    rule.id = rule.renamed_from.as_ref().unwrap_or(&rule.name).rule_id();
    rule.matches = matches(rng);
    rule.priority = rng.pick(&[0, 0, -5, i32::MAX, i32::MIN]);
    rule.enabled = !rng.one_in(4);
    rule.owner = some(rng, 3, text);
    rule.reason =
        some(rng, 3, |rng| format!("{}\n\tand\n", text(rng).replace('\u{85}', "")).into());
    if !matches!(rule.action, Action::Allow) {
        rule.response.status = some(rng, 3, |rng| rng.pick(&[400, 429, 599]));
        rule.response.message = some(rng, 3, |rng| text(rng).replace('\u{85}', "").into());
        rule.response.retry_after_s = some(rng, 3, |rng| rng.pick(&[1, 30]));
    }
    rule.owner = rule.owner.map(|owner| owner.replace('\u{85}', "").into());
    rule
}

fn tier(rng: &mut Rng, name: &str) -> Tier {
    let mut tier = Tier::new(name.parse().unwrap(), rng.pick(&[0, 1, u32::MAX]));
    tier.default = some(rng, 2, limits);
    tier
}

/// An override of a rule of the set.
fn exception(rng: &mut Rng, rule: &Rule) -> Option<Override> {
    let Action::Throttle(throttle) = &rule.action else {
        return None;
    };
    let mut exception = Override::new(Some(rule.name.clone()));
    for field in throttle.key.fields() {
        let field = field.alternatives().first()?.clone();
        let value: Arc<str> = match field {
            Field::Ip => rng.pick(&["192.0.2.1", "2001:db8::1"]).into(),
            Field::Method => "GET".into(),
            Field::Endpoint => "/a/{id}".into(),
            Field::Tier => "free".into(),
            _ => text(rng),
        };
        exception.key.insert(field, value);
    }
    let first = throttle.limits.as_slice().first()?;
    exception.change = match rng.below(4) {
        0 => Change::Limit(Limit::new(7, first.period()).unwrap()),
        1 => Change::Limits("10/s, 5/h".parse().unwrap()),
        2 => Change::Factor("1.5x".parse().unwrap()),
        _ => Change::Unlimited,
    };
    exception.until = some(rng, 2, |rng| Timestamp::from_micros(rng.below(1 << 56)));
    exception.reason = some(rng, 2, |_| "contract 412".into());
    Some(exception.fitted(&throttle.key))
}

/// A rule set that no error is in.
pub(crate) fn rule_set(rng: &mut Rng) -> RuleSet {
    let mut set = RuleSet::default();
    set.tiers = TIERS.iter().map(|name| (name.parse().unwrap(), tier(rng, name))).collect();
    set.default_tier = rng.pick(&TIERS).parse().unwrap();
    for _ in 0..rng.below(6) {
        let rule = rule(rng);
        if rng.one_in(3) {
            set.overrides.extend(exception(rng, &rule));
        }
        set.rules.insert(rule.name.clone(), Arc::new(rule));
    }
    set.overrides.retain(|exception| {
        // A later rule of the same name may count by something else.
        let rule = exception.rule.as_ref().and_then(|name| set.rules.get(name));
        let key = rule.and_then(|rule| match &rule.action {
            Action::Throttle(throttle) => Some(&throttle.key),
            _ => None,
        });
        key.is_some_and(|key| key.fields().len() == exception.key.len())
    });
    set
}
