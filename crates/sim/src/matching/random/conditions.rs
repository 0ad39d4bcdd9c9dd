//! Random conditions.

use std::{error::Error, sync::Arc};

use tollgate_rules::{AttributeCondition, DescriptorEntry, Match};

use super::words;
use crate::Rng;

/// Conditions of which a few are set: all of them together would hold for nobody.
pub(super) fn conditions(rng: &mut Rng) -> Result<Match, Box<dyn Error>> {
    let mut conditions = Match::everything();
    for _ in 0..rng.below(4) {
        match rng.below(16) {
            0 => conditions.tiers = parsed(&some(rng, &words::TIERS))?,
            1 => conditions.users = texts(&some(rng, &words::USERS)),
            2 => conditions.orgs = texts(&some(rng, &words::ORGS)),
            3 => conditions.api_keys = texts(&some(rng, &words::API_KEYS)),
            4 => conditions.regions = texts(&some(rng, &words::REGIONS)),
            5 | 6 => conditions.methods = parsed(&some(rng, &words::METHODS))?,
            7..=9 => conditions.networks = parsed(&some(rng, &words::NETWORKS))?,
            10 | 11 => attribute(rng, &mut conditions),
            12 => conditions.descriptor = Some(descriptor(rng)),
            _ => conditions.endpoint = Some(rng.pick(&words::PATTERNS).parse()?),
        }
    }
    Ok(conditions)
}

/// One to three of these, the same one twice now and then.
fn some(rng: &mut Rng, from: &[&'static str]) -> Vec<&'static str> {
    let count = rng.between(1, 3);
    (0..count).map(|_| rng.pick(from)).collect()
}

fn texts(words: &[&'static str]) -> Vec<Arc<str>> {
    words.iter().map(|&word| word.into()).collect()
}

fn parsed<T: std::str::FromStr>(words: &[&str]) -> Result<Vec<T>, T::Err> {
    words.iter().map(|word| word.parse()).collect()
}

fn attribute(rng: &mut Rng, conditions: &mut Match) {
    let condition = match rng.below(5) {
        0 | 1 => AttributeCondition::Exact(rng.pick(&words::VALUES).into()),
        2 => AttributeCondition::OneOf(texts(&some(rng, &words::VALUES))),
        3 => AttributeCondition::Prefix(rng.pick(&words::PARTS).into()),
        _ => AttributeCondition::Suffix(rng.pick(&words::PARTS).into()),
    };
    let name = rng.pick(&words::ATTRIBUTES).into();
    conditions.attributes.insert(name, condition);
}

fn descriptor(rng: &mut Rng) -> Vec<DescriptorEntry> {
    let count = rng.between(1, 2);
    let entries = (0..count).map(|_| DescriptorEntry {
        key: rng.pick(&words::ENTRIES).into(),
        value: rng.one_in(2).then(|| rng.pick(&words::ENTRIES).into()),
    });
    entries.collect()
}
