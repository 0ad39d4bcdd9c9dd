//! Where a request really came from.

use std::net::IpAddr;

use super::{
    TrustedProxies,
    hops::{self, Hop},
};

/// Where proxies write for whom they ask.
///
/// ```
/// use tollgate_wire::forwarded::ProxyHeader;
///
/// assert_eq!(ProxyHeader::Forwarded.name(), "forwarded");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProxyHeader {
    /// `X-Forwarded-For`.
    XForwardedFor,
    /// `Forwarded`, as RFC 7239 has it.
    Forwarded,
}

impl ProxyHeader {
    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::XForwardedFor => "x-forwarded-for",
            Self::Forwarded => "forwarded",
        }
    }
}

/// The address that a request is counted by: the first on its way back, from us towards the client, that
/// is not one of our proxies. Whatever stands before that was written by somebody we do not know.
///
/// - A peer that is no proxy is the client itself, whatever headers it sends.
/// - `X-Forwarded-For` and `Forwarded` are read. If both are there and tell of two clients, the peer is the client:
///   most proxies write one of them and hand on what a client wrote into the other, and nobody can tell which.
/// - Where the way cannot be read, the last address that could be is the client: all who hide behind one
///   proxy share its budget.
/// - If all are proxies, the farthest is the client.
///
/// `lines` gives the values of every header of that name, in their order.
///
/// ```
/// use tollgate_wire::forwarded::{TrustedProxies, client_address};
///
/// let proxies: TrustedProxies = "10.0.0.0/8".parse()?;
/// let lines = |name| match name {
///     "x-forwarded-for" => vec![&b"6.6.6.6, 192.0.2.1"[..], b"10.0.0.2"],
///     _ => vec![],
/// };
/// let client = client_address("10.0.0.1".parse()?, &proxies, lines);
/// assert_eq!(client.to_string(), "192.0.2.1"); // the client itself wrote what stands before
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn client_address<'h, I: IntoIterator<Item = &'h [u8]>>(
    peer: IpAddr,
    proxies: &TrustedProxies,
    lines: impl Fn(&'static str) -> I,
) -> IpAddr {
    let by = |header| address_by(header, peer, proxies, &lines);
    match (by(ProxyHeader::XForwardedFor), by(ProxyHeader::Forwarded)) {
        (Some(one), Some(other)) if one != other => peer.to_canonical(),
        (Some(client), _) | (None, Some(client)) => client,
        (None, None) => peer.to_canonical(),
    }
}

/// As [`client_address`], by the one header that the proxies write; the other is not read.
///
/// ```
/// use tollgate_wire::forwarded::{ProxyHeader, TrustedProxies, client_address_by};
///
/// let proxies: TrustedProxies = "10.0.0.0/8".parse()?;
/// let lines = |name| match name {
///     "x-forwarded-for" => vec![&b"6.6.6.6"[..]], // the client's invention
///     _ => vec![&b"for=192.0.2.1"[..]],
/// };
/// let client = client_address_by(ProxyHeader::Forwarded, "10.0.0.1".parse()?, &proxies, lines);
/// assert_eq!(client.to_string(), "192.0.2.1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn client_address_by<'h, I: IntoIterator<Item = &'h [u8]>>(
    header: ProxyHeader,
    peer: IpAddr,
    proxies: &TrustedProxies,
    lines: impl Fn(&'static str) -> I,
) -> IpAddr {
    address_by(header, peer, proxies, &lines).unwrap_or(peer.to_canonical())
}

/// None where the header is missing.
fn address_by<'h, I: IntoIterator<Item = &'h [u8]>>(
    header: ProxyHeader,
    peer: IpAddr,
    proxies: &TrustedProxies,
    lines: &impl Fn(&'static str) -> I,
) -> Option<IpAddr> {
    let peer = peer.to_canonical();
    if !proxies.has(peer) {
        return Some(peer);
    }
    let mut way = Vec::new();
    let mut is_there = None;
    for line in lines(header.name()) {
        is_there = Some(());
        match header {
            ProxyHeader::XForwardedFor => hops::of_list(line, &mut way),
            ProxyHeader::Forwarded => hops::of_forwarded(line, &mut way),
        }
    }
    is_there.map(|()| farthest_known(peer, proxies, &way))
}

/// Goes back from the peer for as long as proxies vouch for what came before them.
fn farthest_known(peer: IpAddr, proxies: &TrustedProxies, way: &[Hop]) -> IpAddr {
    let mut known = peer;
    for hop in way.iter().rev() {
        match hop {
            Hop::At(address) => known = *address,
            Hop::Unknown => break,
        }
        if !proxies.has(known) {
            break;
        }
    }
    known
}
