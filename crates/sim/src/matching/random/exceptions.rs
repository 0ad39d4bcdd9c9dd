//! Random overrides and blocks.

use std::{collections::BTreeMap, error::Error, net::IpAddr, sync::Arc};

use tollgate_rules::{
    Action, Block, Change, Field, KeyField, Override, Rule, Throttle, normalise::network_of,
};

use super::{
    rule::{limit, limits},
    words,
};
use crate::Rng;

/// An override that is about some counter of one of `rules`, most of the time.
pub(super) fn exception(rng: &mut Rng, rules: &[Arc<Rule>]) -> Result<Override, Box<dyn Error>> {
    let throttles: Vec<(&Rule, &Throttle)> = rules
        .iter()
        .filter_map(|rule| match &rule.action {
            Action::Throttle(throttle) => Some((&**rule, throttle)),
            _ => None,
        })
        .collect();
    if throttles.is_empty() || rng.one_in(12) {
        // For the default limits of a tier.
        let user = (Field::User, rng.pick(&words::USERS).into());
        let change = Change::Limits(limits(rng)?);
        let mut exception = Override::new(None);
        exception.key = BTreeMap::from([user]);
        exception.change = change;
        return Ok(exception);
    }
    let (rule, throttle) = rng.pick(&throttles);
    let mut key = BTreeMap::new();
    for part in throttle.key.fields() {
        let (field, value) = fact(rng, part, rule)?;
        key.insert(field, value);
    }
    if rng.one_in(20) {
        key.insert(Field::Region, rng.pick(&words::REGIONS).into());
    }
    let mut exception = Override::new(match rng.below(12) {
        0 => Some("nobody".parse()?),
        1 => Some(rng.pick(&throttles).0.name.clone()),
        2..=6 => None,
        _ => Some(rule.name.clone()),
    });
    exception.key = key;
    exception.change = change(rng, throttle)?;
    exception.until = until(rng);
    Ok(exception)
}

fn until(rng: &mut Rng) -> Option<tollgate_core::Timestamp> {
    rng.one_in(2).then(|| rng.pick(&words::MOMENTS))
}

fn change(rng: &mut Rng, throttle: &Throttle) -> Result<Change, Box<dyn Error>> {
    let periods: Vec<_> = throttle.limits.iter().map(|limit| limit.period()).collect();
    Ok(match rng.below(8) {
        0..=2 => {
            let period = rng.pick(&periods);
            Change::Limit(limit(rng, period)?)
        }
        3 | 4 => Change::Limits(limits(rng)?),
        5 => Change::Unlimited,
        _ => Change::Factor(rng.pick(&["2x", "1.5x", "0.001x", "0.34x", "3x"]).parse()?),
    })
}

/// A value that the part of the key can have, for one of its alternatives.
fn fact(rng: &mut Rng, part: &KeyField, rule: &Rule) -> Result<(Field, Arc<str>), Box<dyn Error>> {
    let fields: Vec<&Field> = part.alternatives().iter().collect();
    let field = rng.pick(&fields).clone();
    let value: Arc<str> = match &field {
        Field::User => rng.pick(&words::USERS).into(),
        Field::Org => rng.pick(&words::ORGS).into(),
        Field::ApiKey => rng.pick(&words::API_KEYS).into(),
        Field::Region => rng.pick(&words::REGIONS).into(),
        Field::Method => rng.pick(&words::METHODS).into(),
        Field::Tier => rng.pick(&words::TIERS).into(),
        Field::Endpoint => match &rule.matches.endpoint {
            Some(pattern) => pattern.as_str().into(),
            None => rng.pick(&words::PATHS).into(),
        },
        Field::Ip => {
            let address: IpAddr = rng.pick(&words::ADDRESSES).parse()?;
            network_of(address, part.ipv6_prefix()).to_string().into()
        }
        _ => rng.pick(&words::VALUES).into(),
    };
    Ok((field, value))
}

/// A block of somebody.
pub(super) fn block(rng: &mut Rng) -> Block {
    let (field, value) = match rng.below(4) {
        0 => (Field::User, rng.pick(&words::USERS)),
        1 => (Field::Org, rng.pick(&words::ORGS)),
        2 => (Field::ApiKey, rng.pick(&words::API_KEYS)),
        _ => (Field::Ip, rng.pick(&words::ADDRESSES)),
    };
    let value: Arc<str> = match (&field, value.parse::<IpAddr>()) {
        (Field::Ip, Ok(address)) if rng.one_in(2) => {
            let length =
                rng.pick(if address.is_ipv4() { &[0, 8, 24, 31] } else { &[0, 32, 64, 127] });
            format!("{address}/{length}").into()
        }
        _ => value.into(),
    };
    let block = Block::new(field, value);
    match until(rng) {
        Some(end) => block.until(end),
        None => block,
    }
}
