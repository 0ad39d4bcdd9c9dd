//! What rules are made of.

use std::sync::Arc;

use tollgate_core::{AlgorithmName, Bands, Limit, LimitSet};
use tollgate_rules::{AttributeCondition, DescriptorEntry, Field, Key, KeyField, Match, Name};
use tollgate_testkit::Rng;

/// Texts that a writer of YAML or JSON can get wrong.
const ODD: [&str; 36] = [
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
    "\u{a0}\u{200b}x",
    "<<",
    "2026-01-01",
    "\u{feff}\u{fffd}x",
    "\u{e000}\u{10ffff}\u{ad}",
];
const PERIODS: [&str; 9] = ["ms", "s", "60s", "min", "5min", "h", "day", "week", "month"];
pub(super) const TIERS: [&str; 3] = ["free", "123", "gold/x.y_z-1"];

pub(super) fn name(rng: &mut Rng) -> Name {
    let word = rng.pick(&["login", "search", "null", "true", "12", "a.b", "x/y", "no", "-"]);
    format!("{word}{}", rng.below(1_000)).parse().unwrap()
}

pub(super) fn text(rng: &mut Rng) -> Arc<str> {
    rng.pick(&ODD).into()
}

pub(super) fn some<T>(rng: &mut Rng, one_in: u64, make: impl FnOnce(&mut Rng) -> T) -> Option<T> {
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
        0 => limit.with_burst(rng.below(1_000) + 1).unwrap(),
        1 => limit.clone().with_algorithm(rng.pick(&AlgorithmName::ALL)).unwrap_or(limit),
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

pub(super) fn limits(rng: &mut Rng) -> LimitSet {
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

pub(super) fn key(rng: &mut Rng) -> Key {
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

pub(super) fn matches(rng: &mut Rng) -> Match {
    let mut matches = Match::everything();
    matches.tiers = few(rng, |rng| rng.pick(&TIERS).parse().unwrap());
    matches.users = few(rng, text);
    matches.orgs = few(rng, text);
    matches.api_keys = few(rng, text);
    matches.regions = few(rng, text);
    matches.methods = few(rng, |rng| rng.pick(&["GET", "post", "x-own"]).parse().unwrap());
    let networks = ["10.0.0.0/8", "192.0.2.1/32", "2001:db8::/32", "::1/128", "0.0.0.0/0", "::/0"];
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
