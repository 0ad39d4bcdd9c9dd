//! Where a request really came from.

use std::net::IpAddr;

use super::{
    ProxyHeader, TrustedProxies,
    hops::{self, Hop},
};

/// The named header is there, and no client can be read from it.
///
/// ```
/// use tollgate_wire::forwarded::{ProxyHeader, TrustedProxies, client_address};
///
/// let (header, proxies) = (ProxyHeader::XForwardedFor, "10.0.0.0/8".parse::<TrustedProxies>()?);
/// let unreadable = client_address(&header, "10.0.0.1".parse()?, &proxies, [&b"unknown"[..]]).unwrap_err();
/// assert_eq!(unreadable.header(), &header);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no address can be read from the header {} that a trusted proxy sent: have the proxy write the client's \
     address into it",
    .header.name()
)]
pub struct UnreadableClient {
    header: ProxyHeader,
}

impl UnreadableClient {
    /// The header that cannot be read.
    pub const fn header(&self) -> &ProxyHeader {
        &self.header
    }
}

/// The address that a request is counted by: the first on its way back, from us towards the client, that
/// is not one of our proxies. What stands before that was written by a client we do not know.
///
/// - A peer that is no proxy is the client itself, whatever headers it sends.
/// - Only `header` is read: proxies hand on what a client wrote into any other. `lines` are the values of every header
///   of that name, in their order.
/// - Without such a header, the proxy is itself the client.
/// - If all are proxies, the farthest is the client.
///
/// # Errors
///
/// [`UnreadableClient`] if the header is there and names no client. The proxy's own address never stands in for one:
/// it is the most trusted that there is.
///
/// ```
/// use tollgate_wire::forwarded::{ProxyHeader, TrustedProxies, client_address};
///
/// let proxies: TrustedProxies = "10.0.0.0/8".parse()?;
/// let lines = [&b"6.6.6.6, 192.0.2.1"[..], b"10.0.0.2"];
/// let client = client_address(&ProxyHeader::XForwardedFor, "10.0.0.1".parse()?, &proxies, lines)?;
/// assert_eq!(client.to_string(), "192.0.2.1"); // the client itself wrote what stands before
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn client_address<'h>(
    header: &ProxyHeader,
    peer: IpAddr,
    proxies: &TrustedProxies,
    lines: impl IntoIterator<Item = &'h [u8]>,
) -> Result<IpAddr, UnreadableClient> {
    let peer = peer.to_canonical();
    if !proxies.has(peer) {
        return Ok(peer);
    }
    let mut lines = lines.into_iter().peekable();
    if lines.peek().is_none() {
        return Ok(peer);
    }
    let mut way = Vec::new();
    for line in lines {
        match header {
            ProxyHeader::XForwardedFor => hops::of_list(line, &mut way),
            ProxyHeader::Forwarded => hops::of_forwarded(line, &mut way),
            ProxyHeader::Single(_) => way.push(hops::of_single(line)),
        }
    }
    let client = match (header, way.as_slice()) {
        // Two values are two opinions: one of them may be the client's.
        (ProxyHeader::Single(_), [_, _, ..]) => None,
        (_, way) => farthest_known(proxies, way),
    };
    client.ok_or_else(|| UnreadableClient { header: header.clone() })
}

/// Goes back towards the client for as long as proxies vouch for what came before them. None where a hop cannot be
/// read, or where there is none.
fn farthest_known(proxies: &TrustedProxies, way: &[Hop]) -> Option<IpAddr> {
    let mut known = None;
    for hop in way.iter().rev() {
        match hop {
            Hop::At(address) => known = Some(*address),
            Hop::Unknown if cfg!(mutant = "gateway-reads-on-behind-a-hidden-hop") => {}
            Hop::Unknown => return None,
        }
        if !known.is_some_and(|address| proxies.has(address)) {
            break;
        }
    }
    known
}
