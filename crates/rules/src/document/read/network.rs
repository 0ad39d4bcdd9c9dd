//! Networks and addresses.

use std::net::IpAddr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use super::{
    super::{
        findings::{Finding, Findings},
        tree::Node,
    },
    scalar,
};
use crate::normalise;

/// A network, or an address as a network of one. IPv4 in the clothes of IPv6 is IPv4.
pub(super) fn network(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<IpNet> {
    let given = scalar::text(node, what, findings)?;
    let network = match given.contains('/') {
        true => given.parse().ok(),
        false => normalise::address(given).ok().map(IpNet::from),
    };
    let Some(network) = network else {
        let given: String = given.chars().take(64).collect();
        let message = format!("{given:?} is neither a network nor an address");
        let finding = Finding::error(node.span, message);
        findings.push(finding.help("write for example 10.0.0.0/8, 192.0.2.1 or 2001:db8::/32"));
        return None;
    };
    if network.trunc() != network {
        let (prefix, address) = (network.prefix_len(), network.addr());
        let message = format!("{network} has bits set behind the first {prefix}");
        let finding = Finding::error(node.span, message);
        findings.push(finding.help(format!(
            "write {} for the network, or {address} for the one address",
            network.trunc()
        )));
        return None;
    }
    Some(folded(network))
}

/// Networks within `::ffff:0:0/96` are networks of IPv4.
fn folded(network: IpNet) -> IpNet {
    let IpNet::V6(six) = network else {
        return network;
    };
    let prefix = six.prefix_len().checked_sub(96);
    let four = six.addr().to_ipv4_mapped();
    match (four, prefix) {
        (Some(four), Some(prefix)) => Ipv4Net::new(four, prefix).map_or(IpNet::V6(six), IpNet::V4),
        _ => network,
    }
}

/// As short as it can be written: an address alone where the network holds no other.
pub(in crate::document) fn written(network: &IpNet) -> String {
    match network {
        IpNet::V4(one) if one.prefix_len() == 32 => one.addr().to_string(),
        IpNet::V6(one) if one.prefix_len() == 128 => one.addr().to_string(),
        other => other.to_string(),
    }
}

/// The address in a key's value: alone, or with the prefix it is counted by, as in `2001:db8::/56`.
pub(super) fn keyed_address(text: &str) -> Option<(IpAddr, Option<u8>)> {
    let Some((address, prefix)) = text.split_once('/') else {
        return Some((normalise::address(text).ok()?, None));
    };
    let address = normalise::address(address).ok()?;
    let prefix: u8 = prefix.parse().ok()?;
    match address {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => {
            let network = Ipv6Net::new(address, prefix).ok()?;
            (network.trunc() == network).then_some((address.into(), Some(prefix)))
        }
    }
}
