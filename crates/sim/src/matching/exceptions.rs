//! Overrides and blocks.

use std::{cmp::Ordering, collections::BTreeMap, net::IpAddr, sync::Arc};

use ipnet::IpNet;

use tollgate_core::{AlgorithmName, Bands, Limit, LimitSet, Timestamp};
use tollgate_rules::{Block, Change, Field, KeyField, Override, Query};

use super::{conditions, keys::cut};
use crate::limits::has_burst;

/// An override and what decides between it and another.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    from_api: bool,
    /// The higher is the newer.
    age: u64,
    exception: &'a Override,
}

/// The override that counts for a counter of a rule at a moment.
pub(super) fn in_force<'a>(
    file: &'a [Override],
    api: &'a [(u64, Override)],
    (rule, facts): (&str, &[(Field, String)]),
    wall: Timestamp,
) -> Option<&'a Override> {
    let facts: BTreeMap<Field, Arc<str>> =
        facts.iter().map(|(field, value)| (field.clone(), value.as_str().into())).collect();
    let from_file =
        (0_u64..).zip(file).map(|(age, exception)| Candidate { from_api: false, age, exception });
    let from_api =
        api.iter().map(|(id, exception)| Candidate { from_api: true, age: *id, exception });
    let mut candidates: Vec<Candidate<'_>> = from_file
        .chain(from_api)
        .filter(|candidate| is_about(candidate.exception, rule, &facts))
        .filter(|candidate| has_not_ended(candidate.exception.until, wall))
        .collect();
    candidates.sort_by(winner_first);
    candidates.first().map(|winner| winner.exception)
}

fn is_about(exception: &Override, rule: &str, facts: &BTreeMap<Field, Arc<str>>) -> bool {
    let is_rule = match &exception.rule {
        Some(name) => name.as_str() == rule,
        None => true,
    };
    is_rule && named_facts(exception) == *facts
}

/// An override of one rule names an address as that rule counts it. One of all rules may name any
/// address of IPv6: it means the network that rules count by unless told otherwise.
fn named_facts(exception: &Override) -> BTreeMap<Field, Arc<str>> {
    let mut facts = exception.key.clone();
    if let Some(text) = facts.get_mut(&Field::Ip)
        && let Ok(address) = text.parse()
        && exception.rule.is_none()
    {
        *text = cut(address, KeyField::IPV6_PREFIX_DEFAULT).to_string().into();
    }
    facts
}

fn has_not_ended(until: Option<Timestamp>, wall: Timestamp) -> bool {
    until.is_none_or(|end| end > wall)
}

fn winner_first(one: &Candidate<'_>, other: &Candidate<'_>) -> Ordering {
    let is_temporary = |candidate: &Candidate<'_>| candidate.exception.until.is_some();
    let names_a_rule = |candidate: &Candidate<'_>| candidate.exception.rule.is_some();
    let yes_first = |one: bool, other: bool| other.cmp(&one);
    yes_first(one.from_api, other.from_api)
        .then_with(|| yes_first(is_temporary(one), is_temporary(other)))
        .then_with(|| other.age.cmp(&one.age))
        .then_with(|| yes_first(names_a_rule(one), names_a_rule(other)))
}

/// The limits that count instead of the rule's; none at all is no limit.
pub(super) fn changed(limits: &LimitSet, change: &Change) -> Vec<Limit> {
    match change {
        Change::Unlimited => Vec::new(),
        Change::Limit(instead) => {
            let replaced = limits.iter().map(|limit| {
                if limit.period() == instead.period() {
                    inheriting(instead, limit).unwrap_or_else(|| limit.clone())
                } else {
                    limit.clone()
                }
            });
            replaced.collect()
        }
        Change::Limits(instead) => {
            let replaced = instead.iter().map(|stated| {
                let mut same = limits.iter().filter(|limit| limit.period() == stated.period());
                let inherited = same.next().and_then(|limit| inheriting(stated, limit));
                inherited.unwrap_or_else(|| stated.clone())
            });
            replaced.collect()
        }
        Change::Factor(factor) => {
            let times = limits.iter().map(|limit| {
                let amount = factor.of(limit.amount());
                // A queue of nobody stays one.
                let times = |burst| if burst == 0 { 0 } else { factor.of(burst) };
                let burst = limit.burst().map(times);
                built(amount, burst, limit.algorithm(), limit.bands(), limit)
                    .unwrap_or_else(|| limit.clone())
            });
            times.collect()
        }
        _ => limits.iter().cloned().collect(),
    }
}

/// What is stated, and what is not stated as in the rule's limit. `None` if that cannot be.
fn inheriting(stated: &Limit, from: &Limit) -> Option<Limit> {
    let algorithm = match stated.chosen_algorithm() {
        Some(name) => name,
        // A limit with a burst is a token bucket, unless the rule is of another kind that takes one.
        None if stated.burst().is_some() && !has_burst(from.algorithm()) => {
            AlgorithmName::TokenBucket
        }
        None => from.algorithm(),
    };
    let burst = match stated.burst() {
        Some(burst) => Some(burst),
        None if has_burst(algorithm) => from.burst(),
        None => None,
    };
    let bands = if stated.bands() == Bands::default() { from.bands() } else { stated.bands() };
    built(stated.amount(), burst, algorithm, bands, from)
}

fn built(
    amount: u64,
    burst: Option<u64>,
    algorithm: AlgorithmName,
    bands: Bands,
    period_of: &Limit,
) -> Option<Limit> {
    let limit = Limit::new(amount, period_of.period()).ok()?;
    let limit = limit.with_algorithm(algorithm).ok()?;
    let limit = match burst {
        Some(burst) => limit.with_burst(burst).ok()?,
        None => limit,
    };
    limit.with_bands(bands).ok()
}

/// The end of the block in force that lasts longest, if there is any: `Some(None)` is for ever.
pub(super) fn blocked(
    blocks: &[Block],
    query: &Query<'_>,
    wall: Timestamp,
) -> Option<Option<Timestamp>> {
    let is_within = |text: &str| {
        let network = text.parse::<IpNet>();
        let network = network.ok().or_else(|| alone(text));
        let (Some(network), Some(address)) = (network, query.ip_address()) else {
            return false;
        };
        conditions::contains(network, address)
    };
    let is_about = |block: &&Block| match block.field {
        Field::User => query.user_name() == Some(&*block.value),
        Field::Org => query.org_name() == Some(&*block.value),
        Field::ApiKey => query.api_key_id() == Some(&*block.value),
        Field::Ip => is_within(&block.value),
        _ => false,
    };
    let ends: Vec<Option<Timestamp>> = blocks
        .iter()
        .filter(is_about)
        .map(|block| block.until)
        .filter(|end| has_not_ended(*end, wall))
        .collect();
    if ends.contains(&None) {
        return Some(None);
    }
    ends.into_iter().max()
}

/// An address of IPv6 that is blocked alone is its network of 64 bits.
fn alone(text: &str) -> Option<IpNet> {
    let address: IpAddr = text.parse().ok()?;
    let length = if address.is_ipv4() { 32 } else { 64 };
    IpNet::new(address, length).ok()
}
