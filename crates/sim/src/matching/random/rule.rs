//! Random rules.

use std::error::Error;

use tollgate_core::{AlgorithmName, Bands, Limit, LimitSet, Period};
use tollgate_rules::{Action, Field, Key, KeyField, Missing, Name, Rule, Throttle};

use super::{conditions::conditions, words};
use crate::{Rng, limits::has_burst};

/// What the rules of one set have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Temper {
    /// One rule in so many ends the walk.
    stops: u64,
    /// One throttle in so many denies what lacks a fact.
    denies: u64,
}

impl Temper {
    /// Large sets would end every walk at once if all were alike.
    pub(super) fn new(rng: &mut Rng) -> Self {
        Self { stops: rng.pick(&[4, 20, 200, u64::MAX]), denies: rng.pick(&[4, 40, u64::MAX]) }
    }
}

/// The rule with this number.
pub(super) fn rule(rng: &mut Rng, number: u64, temper: Temper) -> Result<Rule, Box<dyn Error>> {
    let name: Name = format!("rule-{number}").parse()?;
    let action = match rng.one_in(temper.stops) {
        true if rng.one_in(2) => Action::Allow,
        true => Action::Block,
        false => Action::Throttle(throttle(rng, temper)?),
    };
    let mut rule = Rule::new(name, action);
    rule.matches = conditions(rng)?;
    rule.enabled = !rng.one_in(10);
    rule.priority = match rng.below(6) {
        0 => -1,
        1 => 5,
        _ => 0,
    };
    if rng.one_in(10) {
        // Created under another name.
        rule.id = format!("once-{number}").parse::<Name>()?.rule_id();
    }
    Ok(rule)
}

fn throttle(rng: &mut Rng, temper: Temper) -> Result<Throttle, Box<dyn Error>> {
    let mut throttle = Throttle::new(key(rng)?, limits(rng)?);
    throttle.missing = match rng.below(4) {
        _ if rng.one_in(temper.denies) => Missing::Deny,
        0 => Missing::Shared,
        _ => Missing::Skip,
    };
    if rng.one_in(3) {
        throttle.group = Some(rng.pick(&words::GROUPS).parse()?);
    }
    if rng.one_in(3) {
        let costs = ["5", "attributes.size / 1024", "attributes.size", "attributes.plan"];
        throttle.cost = rng.pick(&costs).parse()?;
    }
    Ok(throttle)
}

/// Up to three parts, some with alternatives; no field comes twice.
fn key(rng: &mut Rng) -> Result<Key, Box<dyn Error>> {
    let mut left: Vec<Field> = Field::NAMED.to_vec();
    left.extend(["plan", "app"].map(|name| Field::Attribute(name.into())));
    let parts = rng.pick(&[0, 1, 1, 1, 2, 2, 3]);
    let mut fields = Vec::new();
    for _ in 0..parts {
        let count = rng.pick(&[1, 1, 2, 3]);
        let drawn = (0..count).map(|_| draw(rng, &mut left));
        let part = KeyField::first_of(drawn.collect::<Vec<Field>>())?;
        let has_ip = part.alternatives().contains(&Field::Ip);
        fields.push(if has_ip && rng.one_in(2) {
            part.with_ipv6_prefix(rng.pick(&[1, 48, 56, 63, 127, 128]))?
        } else {
            part
        });
    }
    Ok(Key::new(fields)?)
}

fn draw<T>(rng: &mut Rng, left: &mut Vec<T>) -> T {
    let length = u64::try_from(left.len()).unwrap_or(u64::MAX);
    left.swap_remove(usize::try_from(rng.below(length)).unwrap_or(0))
}

/// One to three limits, no two of one period.
pub(super) fn limits(rng: &mut Rng) -> Result<LimitSet, Box<dyn Error>> {
    let mut periods = words::PERIODS.to_vec();
    let mut limits = Vec::new();
    for _ in 0..rng.pick(&[1, 1, 2, 3]) {
        let (count, unit) = draw(rng, &mut periods);
        limits.push(limit(rng, Period::new(count, unit)?)?);
    }
    Ok(LimitSet::new(limits)?)
}

/// A limit of this period: with or without an algorithm, a burst, thresholds.
pub(super) fn limit(rng: &mut Rng, period: Period) -> Result<Limit, Box<dyn Error>> {
    let mut limit = Limit::new(rng.pick(&[1, 5, 100, 999]), period)?;
    if rng.one_in(2) {
        limit = limit.with_algorithm(rng.pick(&AlgorithmName::ALL))?;
    }
    let takes_burst = limit.chosen_algorithm().is_none_or(has_burst);
    if takes_burst && rng.one_in(3) {
        let least = match limit.chosen_algorithm() {
            Some(AlgorithmName::LeakyBucket) => 0,
            _ => 1,
        };
        limit = limit.with_burst(rng.pick(&[least, 20, 333]))?;
    }
    if rng.one_in(4) {
        limit = limit.with_bands(Bands::new(rng.pick(&[50, 80]), 100)?)?;
    }
    if rng.one_in(8) && limit.algorithm() != AlgorithmName::SlidingLog {
        limit = limit.with_bands(Bands::new(70, 120)?)?;
    }
    Ok(limit)
}
