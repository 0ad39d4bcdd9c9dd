//! Random rule sets of everything that can be written.

use std::sync::Arc;

use tollgate_core::{AlgorithmName, Bands, Limit, LimitSet, Timestamp};
use tollgate_rules::{
    Action, AttributeCondition, Change, Consistency, DescriptorEntry, Field, Key, KeyField, Match,
    Missing, Name, OnFailure, Override, Rule, RuleSet, Throttle, Tier,
};
use tollgate_testkit::Rng;

/// Texts that a writer of YAML or JSON can get wrong.
const ODD: [&str; 34] = [
    "alice",
    "null",
    "~",
    "true",
    "no",
    "123",
    "1e3",
    "0x1f",
    "1.5",
    "-",
    "- a",
    "? a",
    ": a",
    "a: b",
    "a #b",
    "#b",
    "[a",
    "{a",
    "a, b",
    "'a'",
    "\"a\"",
    "a\\n",
    "&a",
    "*a",
    "!a",
    "%a",
    "@a",
    "`a",
    "|",
    ">",
    "日本語",
    "\u{85}\u{2028}x",
    "<<",
    "2026-01-01",
];
const PERIODS: [&str; 9] = ["ms", "s", "60s", "min", "5min", "h", "day", "week", "month"];
const TIERS: [&str; 3] = ["free", "123", "gold/x.y_z-1"];

fn name(rng: &mut Rng) -> Name {
    let word = rng.pick(&[
        "login", "search", "null", "true", "12", "a.b", "x/y", "no", "-",
    ]);
    format!("{word}{}", rng.below(1_000)).parse().unwrap()
}

fn text(rng: &mut Rng) -> Arc<str> {
    rng.pick(&ODD).into()
}

fn some<T>(rng: &mut Rng, one_in: u64, make: impl FnOnce(&mut Rng) -> T) -> Option<T> {
    rng.one_in(one_in).then(|| make(rng))
}

fn few<T: PartialEq>(rng: &mut Rng, make: impl Fn(&mut Rng) -> T) -> Vec<T> {
    let mut values = Vec::new();
    if rng.one_in(3) {
        for _ in 0..=rng.below(3) {
            let value = make(rng);
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    values
}

fn limit(rng: &mut Rng) -> Limit {
    let amount = rng.pick(&[1, 5, 999, 1_000_000, u64::MAX / 1_000]);
    let limit: Limit = format!("{amount}/{}", rng.pick(&PERIODS)).parse().unwrap();
    let limit = match rng.below(3) {
        0 => limit.clone().with_burst(rng.below(1_000) + 1).unwrap(),
        1 => limit
            .clone()
            .with_algorithm(rng.pick(&AlgorithmName::ALL))
            .unwrap_or(limit),
        _ => limit,
    };
    match rng.below(4) {
        0 => {
            let bands = Bands::new(rng.pick(&[1, 80, 90]), rng.pick(&[100, 120, 1_000])).unwrap();
            limit.clone().with_bands(bands).unwrap_or(limit)
        }
        _ => limit,
    }
}

fn limits(rng: &mut Rng) -> LimitSet {
    let count = rng.below(3) + 1;
    let limits: Vec<Limit> = (0..count).map(|_| limit(rng)).collect();
    let first = limits[0].clone();
    LimitSet::new(limits).unwrap_or_else(|_| first.into())
}

fn field(rng: &mut Rng) -> Field {
    let mut fields = Field::NAMED.to_vec();
    fields.push(Field::Attribute("plan".into()));
    fields.push(Field::Attribute("odd name: 日本".into()));
    rng.pick(&fields)
}

fn key(rng: &mut Rng) -> Key {
    let fields: Vec<KeyField> = (0..rng.below(3))
        .map(|_| {
            let field = KeyField::first_of((0..=rng.below(2)).map(|_| field(rng))).unwrap();
            match field.clone().with_ipv6_prefix(56) {
                Ok(shorter) if rng.one_in(2) => shorter,
                _ => field,
            }
        })
        .collect();
    Key::new(fields).unwrap_or_default()
}

fn condition(rng: &mut Rng) -> AttributeCondition {
    match rng.below(4) {
        0 => AttributeCondition::OneOf(vec![text(rng), "other".into()]),
        1 => AttributeCondition::Prefix(format!(" {}", text(rng)).into()),
        2 => AttributeCondition::Suffix(format!("{} ", text(rng)).into()),
        _ => AttributeCondition::Exact(text(rng)),
    }
}

fn matches(rng: &mut Rng) -> Match {
    let mut matches = Match::everything();
    matches.tiers = few(rng, |rng| rng.pick(&TIERS).parse().unwrap());
    matches.users = few(rng, text);
    matches.orgs = few(rng, text);
    matches.api_keys = few(rng, text);
    matches.regions = few(rng, text);
    matches.methods = few(rng, |rng| {
        rng.pick(&["GET", "post", "x-own"]).parse().unwrap()
    });
    let networks = [
        "10.0.0.0/8",
        "192.0.2.1/32",
        "2001:db8::/32",
        "::1/128",
        "0.0.0.0/0",
        "::/0",
    ];
    matches.networks = few(rng, |rng| rng.pick(&networks).parse().unwrap());
    let patterns = ["/", "/a b/{id}", "/api/**", "/*/x/*", "/a:b", "/#x"];
    matches.endpoint = some(rng, 2, |rng| rng.pick(&patterns).parse().unwrap());
    for _ in 0..rng.below(3) {
        matches.attributes.insert(text(rng), condition(rng));
    }
    matches.descriptor = some(rng, 4, |rng| {
        let value = some(rng, 2, text);
        let key = text(rng);
        vec![DescriptorEntry { key, value }]
    });
    matches
}

fn throttle(rng: &mut Rng) -> Throttle {
    let mut throttle = Throttle::new(key(rng), limits(rng));
    throttle.missing = rng.pick(&[Missing::Skip, Missing::Shared, Missing::Deny]);
    throttle.group = some(rng, 3, name);
    throttle.cost = rng
        .pick(&["1", "7", "attributes.bytes", "attributes.日本 / 1024"])
        .parse()
        .unwrap();
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
    rule.reason = some(rng, 3, |rng| {
        format!("{}\n\tand\n", text(rng).replace('\u{85}', "")).into()
    });
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
    set.tiers = TIERS
        .iter()
        .map(|name| (name.parse().unwrap(), tier(rng, name)))
        .collect();
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
