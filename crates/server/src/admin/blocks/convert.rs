//! Whom a block is about, in words and as decisions know it.

use std::{net::IpAddr, sync::Arc};

use ipnet::IpNet;
use tollgate_catalog::{EntryBody, StoredEntry};
use tollgate_rules::{Block, Field, normalise::address};

/// What a block can be about, by the name of its member.
pub(super) const SUBJECTS: [(&str, Field); 4] = [
    ("user_id", Field::User),
    ("org_id", Field::Org),
    ("api_key", Field::ApiKey),
    ("ip", Field::Ip),
];

/// The member that names this fact.
pub(super) fn name(field: &Field) -> &'static str {
    let mut known = SUBJECTS.iter();
    known
        .find(|(_, known)| known == field)
        .map_or("", |(name, _)| *name)
}

/// The block of an entry.
pub(super) const fn block(entry: &StoredEntry) -> Option<&Block> {
    match &entry.body {
        EntryBody::Block(body) => Some(&body.block),
        _ => None,
    }
}

/// The widest network of IPv4 that is blocked: two halves of all addresses would be everybody.
const IPV4_PREFIX_MIN: u8 = 8;
/// The widest network of IPv6 that is blocked.
const IPV6_PREFIX_MIN: u8 = 16;

/// An address or a network in the form in which it is stored: the network's first address, IPv4 as such.
pub(super) fn network(text: &str) -> Result<Arc<str>, &'static str> {
    const WRONG: &str =
        "must be an address or a network, for example 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48";
    let text = text.trim();
    if let Ok(address) = address(text) {
        return Ok(address.to_string().into());
    }
    let network: IpNet = text.parse().map_err(|_| WRONG)?;
    let network = folded(network.trunc());
    let least = match network {
        IpNet::V4(_) => IPV4_PREFIX_MIN,
        IpNet::V6(_) => IPV6_PREFIX_MIN,
    };
    match network.prefix_len() {
        prefix if prefix < least => {
            Err("is wider than a block may be: the widest are a /8 of IPv4 and a /16 of IPv6")
        }
        full if full == network.max_prefix_len() => Ok(network.addr().to_string().into()),
        _ => Ok(network.to_string().into()),
    }
}

/// IPv4 that is written as IPv6 is IPv4.
fn folded(network: IpNet) -> IpNet {
    const MAPPED: u8 = 96;
    let IpAddr::V6(address) = network.addr() else {
        return network;
    };
    let prefix = network.prefix_len().checked_sub(MAPPED);
    let mapped = address.to_ipv4_mapped().zip(prefix);
    let folded = mapped.and_then(|(address, prefix)| IpNet::new(address.into(), prefix).ok());
    folded.unwrap_or(network)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_has_one_form() {
        for (text, form) in [
            ("203.0.113.7", "203.0.113.7"),
            ("10.1.2.3/8", "10.0.0.0/8"),
            ("2001::/16", "2001::/16"),
            ("203.0.113.7/32", "203.0.113.7"),
            ("203.0.113.7/24", "203.0.113.0/24"),
            ("::ffff:203.0.113.7", "203.0.113.7"),
            ("::ffff:203.0.113.0/120", "203.0.113.0/24"),
            ("2001:DB8::1", "2001:db8::1"),
            ("2001:db8::1/48", "2001:db8::/48"),
        ] {
            assert_eq!(network(text).as_deref(), Ok(form), "{text}");
        }
        for wrong in [
            "",
            "somewhere",
            "203.0.113.7/33",
            "203.0.113/24",
            "0.0.0.0/0",
            "0.0.0.0/1",
            "128.0.0.0/1",
            "10.0.0.0/7",
            "::/0",
            "2000::/3",
            "::ffff:0.0.0.0/97",
        ] {
            assert!(network(wrong).is_err(), "{wrong:?}");
        }
    }
}
