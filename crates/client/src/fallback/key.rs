//! By which facts a limit is counted.

use std::{
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
};

use crate::{
    Check,
    facts::{self, Bytes},
};

/// How much of an IPv6 address counts where the server told only how it counts IPv4 addresses.
const IPV6_PREFIX: u8 = 64;

/// One fact of the key of a limit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum KeyField {
    User,
    Org,
    ApiKey,
    /// With so many bits of an IPv6 address, if told.
    Ip(Option<u8>),
    Tier,
    Method,
    Region,
    Endpoint,
    Attribute(Arc<str>),
    /// Something that this client does not know: all that identifies whoever asks stands for it.
    Unknown,
}

impl KeyField {
    /// From the protocol: `user`, `ip/64`, `attributes.plan`.
    pub(crate) fn read(text: &str) -> Self {
        match text {
            "user" => Self::User,
            "org" => Self::Org,
            "api_key" => Self::ApiKey,
            "ip" => Self::Ip(None),
            "tier" => Self::Tier,
            "method" => Self::Method,
            "region" => Self::Region,
            "endpoint" => Self::Endpoint,
            _ => Self::read_long(text),
        }
    }

    fn read_long(text: &str) -> Self {
        if let Some(name) = text.strip_prefix("attributes.") {
            return Self::Attribute(name.into());
        }
        let bits = text.strip_prefix("ip/").and_then(|bits| bits.parse().ok());
        match bits {
            Some(bits) if bits <= 128 => Self::Ip(Some(bits)),
            _ => Self::Unknown,
        }
    }

    /// Writes the value of this field, marked as such. Where the question does not say it (the server took the
    /// user out of a token), whatever identifies the asker stands for it.
    pub(super) fn write(&self, check: &Check<'_>, out: &mut Bytes) {
        let body = &check.body;
        let (mark, value) = match self {
            Self::User => (1, body.user_id.as_deref()),
            Self::Org => (2, body.org_id.as_deref()),
            Self::ApiKey => (3, body.api_key.as_deref()),
            Self::Tier => (5, body.tier.as_deref()),
            Self::Method => (6, body.method.as_deref()),
            Self::Region => (7, body.region.as_deref()),
            Self::Endpoint => (8, body.endpoint.as_deref()),
            Self::Attribute(name) => (9, check.attribute_value(name)),
            Self::Ip(bits) => return write_ip(check, *bits, out),
            Self::Unknown => (0, None),
        };
        match value {
            Some(_) => {
                out.push(mark);
                facts::write_fact(value, out);
            }
            None => write_whole(check, out),
        }
    }
}

fn write_ip(check: &Check<'_>, bits: Option<u8>, out: &mut Bytes) {
    let Some(text) = check.body.ip.as_deref() else {
        return write_whole(check, out);
    };
    out.push(4);
    match text.parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => {
            out.push(4);
            out.extend_from_slice(&address.octets());
        }
        Ok(IpAddr::V6(address)) => {
            out.push(6);
            out.extend_from_slice(&network(address, bits.unwrap_or(IPV6_PREFIX)).octets());
        }
        Err(_) => facts::write_fact(Some(text), out),
    }
}

/// The first `bits` of an address.
fn network(address: Ipv6Addr, bits: u8) -> Ipv6Addr {
    let host = 128_u32.saturating_sub(u32::from(bits));
    let mask = u128::MAX.checked_shl(host).unwrap_or(0);
    Ipv6Addr::from_bits(address.to_bits() & mask)
}

fn write_whole(check: &Check<'_>, out: &mut Bytes) {
    out.push(0);
    facts::write_identity(check, out);
}
