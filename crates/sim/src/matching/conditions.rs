//! Whether a rule is about a request.

use std::net::IpAddr;

use ipnet::IpNet;
use tollgate_rules::{AttributeCondition, DescriptorEntry, Match, Query};

/// Whether every condition holds; `tier` is the one that counts for the request.
pub(super) fn hold(conditions: &Match, query: &Query<'_>, tier: &str) -> bool {
    let tiers: Vec<&str> = conditions.tiers.iter().map(|name| name.as_str()).collect();
    let methods: Vec<&str> = conditions.methods.iter().map(|one| one.as_str()).collect();
    let texts = |values: &[std::sync::Arc<str>]| -> Vec<String> {
        values.iter().map(|value| value.to_string()).collect()
    };
    is_one_of(&tiers, Some(tier))
        && is_one_of(&texts(&conditions.users), query.user_name())
        && is_one_of(&texts(&conditions.orgs), query.org_name())
        && is_one_of(&texts(&conditions.api_keys), query.api_key_id())
        && is_one_of(&texts(&conditions.regions), query.region_name())
        && is_one_of(&methods, query.method_text())
        && endpoint_holds(conditions, query)
        && network_holds(&conditions.networks, query.ip_address())
        && attributes_hold(conditions, query)
        && descriptor_holds(conditions.descriptor.as_deref(), query)
}

/// A list that is empty asks for nothing; any other asks for a fact that is on it.
fn is_one_of(wanted: &[impl AsRef<str>], fact: Option<&str>) -> bool {
    if wanted.is_empty() {
        return true;
    }
    let Some(fact) = fact else { return false };
    wanted.iter().any(|wanted| wanted.as_ref() == fact)
}

fn endpoint_holds(conditions: &Match, query: &Query<'_>) -> bool {
    match (&conditions.endpoint, query.path()) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(pattern), Some(path)) => follows(&segments(path), &segments(pattern.as_str())),
    }
}

/// The segments of a path or a pattern in normal form; the root has none.
pub(super) fn segments(text: &str) -> Vec<&str> {
    if text == "/" {
        return Vec::new();
    }
    text.split('/').skip(1).collect()
}

fn follows(path: &[&str], pattern: &[&str]) -> bool {
    match (pattern, path) {
        (["**"], _) | ([], []) => true,
        ([], _) | (_, []) => false,
        ([wanted, pattern @ ..], [found, path @ ..]) => {
            let is_any = *wanted == "*" || wanted.starts_with('{');
            (is_any || wanted == found) && follows(path, pattern)
        }
    }
}

fn network_holds(networks: &[IpNet], address: Option<IpAddr>) -> bool {
    if networks.is_empty() {
        return true;
    }
    let Some(address) = address else { return false };
    networks.iter().any(|network| contains(*network, address))
}

/// The families are apart: no network of IPv6 holds an address of IPv4.
pub(super) fn contains(network: IpNet, address: IpAddr) -> bool {
    match (network.addr(), address) {
        (IpAddr::V4(network_bits), IpAddr::V4(bits)) => {
            let (left, right) = (network_bits.to_bits(), bits.to_bits());
            (0..network.prefix_len()).all(|place| {
                let bit = 1_u32 << (31 - place);
                left & bit == right & bit
            })
        }
        (IpAddr::V6(network_bits), IpAddr::V6(bits)) => {
            let (left, right) = (network_bits.to_bits(), bits.to_bits());
            (0..network.prefix_len()).all(|place| {
                let bit = 1_u128 << (127 - place);
                left & bit == right & bit
            })
        }
        _ => false,
    }
}

fn attributes_hold(conditions: &Match, query: &Query<'_>) -> bool {
    conditions.attributes.iter().all(|(name, condition)| {
        let Some(value) = query.attribute_value(name) else {
            return false;
        };
        match condition {
            AttributeCondition::Exact(text) => value == &**text,
            AttributeCondition::OneOf(texts) => texts.iter().any(|text| value == &**text),
            AttributeCondition::Prefix(text) => value.starts_with(&**text),
            AttributeCondition::Suffix(text) => value.ends_with(&**text),
            _ => false,
        }
    })
}

/// Exactly these entries, in this order.
fn descriptor_holds(wanted: Option<&[DescriptorEntry]>, query: &Query<'_>) -> bool {
    let Some(wanted) = wanted else { return true };
    let Some(found) = query.descriptor_entries() else {
        return false;
    };
    wanted.len() == found.len()
        && wanted.iter().zip(found).all(|(wanted, (key, value))| {
            let is_value = match &wanted.value {
                Some(text) => **text == **value,
                None => true,
            };
            *wanted.key == **key && is_value
        })
}
