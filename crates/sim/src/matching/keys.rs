//! Which counter of a rule a request is counted by.

use std::net::{IpAddr, Ipv6Addr};

use tollgate_rules::{Field, Key, KeyField, Match, Query, Scope};

/// The facts that name the counter, or the first part of the key that nothing fills.
pub(super) fn facts<'k>(
    key: &'k Key,
    conditions: &Match,
    query: &Query<'_>,
    tier: &str,
) -> Result<Vec<(Field, String)>, &'k KeyField> {
    let mut facts = Vec::new();
    for part in key.fields() {
        let mut present = part.alternatives().iter().filter_map(|field| {
            let value = value(field, part.ipv6_prefix(), conditions, query, tier)?;
            Some((field.clone(), value))
        });
        match present.next() {
            Some(fact) => facts.push(fact),
            None => return Err(part),
        }
    }
    Ok(facts)
}

fn value(
    field: &Field,
    ipv6_prefix: u8,
    conditions: &Match,
    query: &Query<'_>,
    tier: &str,
) -> Option<String> {
    let text = |text: Option<&str>| text.map(str::to_owned);
    match field {
        Field::User => text(query.user_name()),
        Field::Org => text(query.org_name()),
        Field::ApiKey => text(query.api_key_id()),
        Field::Region => text(query.region_name()),
        Field::Method => text(query.method_text()),
        Field::Tier => Some(tier.to_owned()),
        Field::Attribute(name) => text(query.attribute_value(name)),
        Field::Endpoint => match &conditions.endpoint {
            Some(pattern) => Some(pattern.as_str().to_owned()),
            None => text(query.path()),
        },
        Field::Ip => Some(cut(query.ip_address()?, ipv6_prefix).to_string()),
        _ => None,
    }
}

/// Of an address of IPv6 only the first bits count.
pub(super) fn cut(address: IpAddr, ipv6_prefix: u8) -> IpAddr {
    let IpAddr::V6(address) = address else {
        return address;
    };
    let mut bits = address.to_bits();
    for place in ipv6_prefix..128 {
        bits &= !(1_u128 << (127 - place));
    }
    IpAddr::V6(Ipv6Addr::from_bits(bits))
}

/// Whether a throttle with this key is among those asked for.
pub(super) fn is_asked_for(key: &Key, scope: Option<Scope>) -> bool {
    let names = |field: Field| {
        let mut parts = key.fields().iter();
        parts.any(|part| part.alternatives().contains(&field))
    };
    match scope {
        None => true,
        Some(Scope::User) => names(Field::User),
        Some(Scope::Org) => names(Field::Org),
        Some(Scope::Ip) => names(Field::Ip),
        Some(Scope::ApiKey) => names(Field::ApiKey),
        Some(Scope::Tier) => names(Field::Tier),
        Some(Scope::Endpoint) => names(Field::Endpoint),
        Some(_) => key.fields().is_empty(),
    }
}
