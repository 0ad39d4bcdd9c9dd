//! In which order rules are walked.

use std::cmp::Reverse;

use ipnet::IpNet;

use crate::{AttributeCondition, Match, Name, Rule};

/// A rule's place in the walk: the lesser comes first. Ends with the name, so no two rules tie.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    priority: Reverse<i32>,
    endpoint: u8,
    literals: Reverse<usize>,
    network: Reverse<Option<u8>>,
    named: Reverse<Named>,
    conditions: Reverse<Conditions>,
    methods: Reverse<bool>,
    name: Name,
}

impl Rank {
    pub(crate) fn of(rule: &Rule) -> Self {
        let matches = &rule.matches;
        let endpoint = matches.endpoint.as_ref();
        Self {
            priority: Reverse(rule.priority),
            endpoint: endpoint.map_or(u8::MAX, |pattern| pattern.class() as u8),
            literals: Reverse(endpoint.map_or(0, |pattern| pattern.literals())),
            network: Reverse(matches.networks.iter().map(narrowness).min()),
            named: Reverse(Named::of(matches)),
            conditions: Reverse(Conditions::of(matches)),
            methods: Reverse(!matches.methods.is_empty()),
            name: rule.name.clone(),
        }
    }
}

/// Prefix lengths of both families on one scale: an address of IPv4 is as narrow as one of IPv6.
fn narrowness(network: &IpNet) -> u8 {
    match network {
        IpNet::V4(network) => network.prefix_len().saturating_add(96),
        IpNet::V6(network) => network.prefix_len(),
    }
}

/// Whom a rule names; the narrowest is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    Nobody,
    Tier,
    Org,
    One,
}

impl Named {
    fn of(matches: &Match) -> Self {
        if !matches.users.is_empty() || !matches.api_keys.is_empty() {
            Self::One
        } else if !matches.orgs.is_empty() {
            Self::Org
        } else if !matches.tiers.is_empty() {
            Self::Tier
        } else {
            Self::Nobody
        }
    }
}

/// How much is asked of the attributes; more is greater. An entry of a descriptor asks like an
/// attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Conditions {
    all: usize,
    exact: usize,
    one_of: usize,
}

impl Conditions {
    fn of(matches: &Match) -> Self {
        let mut conditions = Self::default();
        for condition in matches.attributes.values() {
            conditions.all += 1;
            match condition {
                AttributeCondition::Exact(_) => conditions.exact += 1,
                AttributeCondition::OneOf(_) => conditions.one_of += 1,
                AttributeCondition::Prefix(_) | AttributeCondition::Suffix(_) => {}
            }
        }
        for entry in matches.descriptor.iter().flatten() {
            conditions.all += 1;
            conditions.exact += usize::from(entry.value.is_some());
        }
        conditions
    }
}
