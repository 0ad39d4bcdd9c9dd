//! Which of two rules is walked first.

use std::cmp::Ordering;

use tollgate_rules::{AttributeCondition, Match, Rule};

use super::conditions::segments;

/// The sentence of the specification, one line for each of its clauses.
pub(super) fn first(one: &Rule, other: &Rule) -> Ordering {
    let (a, b) = (&one.matches, &other.matches);
    higher_first(one.priority, other.priority)
        .then_with(|| higher_first(endpoint_rank(a), endpoint_rank(b)))
        .then_with(|| higher_first(literal_segments(a), literal_segments(b)))
        .then_with(|| higher_first(network_rank(a), network_rank(b)))
        .then_with(|| higher_first(caller_rank(a), caller_rank(b)))
        .then_with(|| higher_first(attribute_conditions(a), attribute_conditions(b)))
        .then_with(|| higher_first(exact_conditions(a), exact_conditions(b)))
        .then_with(|| higher_first(one_of_conditions(a), one_of_conditions(b)))
        .then_with(|| higher_first(method_rank(a), method_rank(b)))
        .then_with(|| one.name.as_str().cmp(other.name.as_str()))
}

fn higher_first<T: Ord + Copy>(one: T, other: T) -> Ordering {
    other.cmp(&one)
}

/// Exact, then `{param}`, then `*`, then `**`, then none; the widest segment says which.
fn endpoint_rank(conditions: &Match) -> u8 {
    let Some(pattern) = &conditions.endpoint else {
        return 0;
    };
    let segments = segments(pattern.as_str());
    if segments.contains(&"**") {
        1
    } else if segments.contains(&"*") {
        2
    } else if segments.iter().any(|segment| segment.starts_with('{')) {
        3
    } else {
        4
    }
}

fn literal_segments(conditions: &Match) -> usize {
    let Some(pattern) = &conditions.endpoint else {
        return 0;
    };
    let is_wild = |segment: &str| segment.starts_with('*') || segment.starts_with('{');
    segments(pattern.as_str()).into_iter().filter(|segment| !is_wild(segment)).count()
}

/// The longer prefix first, and of a list the shortest counts. Those of IPv4 are as long as they are
/// when written as IPv6. No network at all comes last.
fn network_rank(conditions: &Match) -> Option<u32> {
    let lengths = conditions.networks.iter().map(|network| {
        let length = u32::from(network.prefix_len());
        if network.addr().is_ipv4() { length + 96 } else { length }
    });
    lengths.min()
}

/// User- or key-named, then organisation-named, then tier-named, then none of these.
fn caller_rank(conditions: &Match) -> u8 {
    if !conditions.users.is_empty() || !conditions.api_keys.is_empty() {
        3
    } else if !conditions.orgs.is_empty() {
        2
    } else {
        u8::from(!conditions.tiers.is_empty())
    }
}

/// Entries of a descriptor are conditions on attributes.
fn attribute_conditions(conditions: &Match) -> usize {
    conditions.attributes.len() + conditions.descriptor.as_ref().map_or(0, Vec::len)
}

fn exact_conditions(conditions: &Match) -> usize {
    let is_exact =
        |condition: &&AttributeCondition| matches!(condition, AttributeCondition::Exact(_));
    let entries = conditions.descriptor.iter().flatten();
    conditions.attributes.values().filter(is_exact).count()
        + entries.filter(|entry| entry.value.is_some()).count()
}

fn one_of_conditions(conditions: &Match) -> usize {
    let is_one_of =
        |condition: &&AttributeCondition| matches!(condition, AttributeCondition::OneOf(_));
    conditions.attributes.values().filter(is_one_of).count()
}

fn method_rank(conditions: &Match) -> u8 {
    u8::from(!conditions.methods.is_empty())
}
