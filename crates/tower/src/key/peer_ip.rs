//! A key by the client's address.

use std::{
    fmt::{self, Write as _},
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
};

use tollgate_wire::forwarded::{ProxyHeader, TrustedProxies, client_address};

use super::{Facts, Key, Role};
use crate::{Error, RequestHead};

/// Keyed by the address of whoever called. It is known in axum if the service was made with
/// `into_make_service_with_connect_info::<SocketAddr>()`, in tonic with the feature `tonic`, and elsewhere if the
/// server puts [`PeerAddr`](crate::PeerAddr) into each request. Where nobody notes it, all share one budget, and the
/// layer logs one warning.
///
/// Addresses of IPv6 are counted by their /64, since whoever has one has all of it. Gates and servers get the address
/// itself: their rules say how it is grouped.
///
/// ```
/// use tollgate_tower::{TollgateLayer, peer_ip};
///
/// let layer = TollgateLayer::embedded("100/min")?.key(peer_ip().behind(["10.0.0.0/8", "::1"])?);
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
pub const fn peer_ip() -> PeerIp {
    PeerIp { proxies: None, header: ProxyHeader::XForwardedFor }
}

/// A key by the client's address: see [`peer_ip`].
///
/// ```
/// let key: tollgate_tower::PeerIp = tollgate_tower::peer_ip();
/// ```
#[derive(Clone, Debug)]
pub struct PeerIp {
    proxies: Option<Arc<TrustedProxies>>,
    header: ProxyHeader,
}

impl PeerIp {
    /// Behind proxies in these networks: if one of them called, the client is the rightmost address of
    /// `X-Forwarded-For` that is not one of them. Never the leftmost, which the client can write itself. No other header
    /// is read, since proxies hand on what a client wrote into it; if yours write another, name it:
    /// [`PeerIp::header`].
    ///
    /// A request of a proxy without that header is the proxy's own. One whose header names no address that can be read
    /// is [`Malformed`](crate::Malformed): the proxy's address never stands in for a client's.
    ///
    /// # Errors
    ///
    /// [`Error::Proxies`] for what is no network, and for one of everybody.
    pub fn behind<T: AsRef<str>>(
        mut self,
        networks: impl IntoIterator<Item = T>,
    ) -> Result<Self, Error> {
        let networks: Vec<T> = networks.into_iter().collect();
        let networks: Vec<&str> = networks.iter().map(AsRef::as_ref).collect();
        self.proxies = Some(Arc::new(networks.join(",").parse()?));
        Ok(self)
    }

    /// The one header in which the proxies name their client, [`ProxyHeader::XForwardedFor`] unless said; no other is
    /// read. One that holds a single address is named by its text; your proxies must replace what a client wrote into
    /// it.
    ///
    /// ```
    /// use tollgate_tower::{ProxyHeader, TollgateLayer, peer_ip};
    ///
    /// let key = peer_ip().behind(["10.0.0.0/8"])?.header(ProxyHeader::Forwarded);
    /// let layer = TollgateLayer::embedded("100/min")?.key(key);
    /// let cdn = peer_ip().behind(["10.0.0.0/8"])?.header("cf-connecting-ip".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn header(mut self, header: ProxyHeader) -> Self {
        self.header = header;
        self
    }
}

impl Key for PeerIp {
    fn read<'r>(&'r self, head: &RequestHead<'r>, facts: &mut Facts<'r>) {
        let peer = head.peer().map(|peer| peer.ip());
        let found = peer.map(|peer| match &self.proxies {
            None => Ok(peer),
            Some(proxies) => {
                let lines = head.headers.get_all(self.header.name()).into_iter();
                let lines = lines.map(|line| line.as_bytes().trim_ascii());
                client_address(&self.header, peer, proxies, lines)
            }
        });
        let client = match found {
            None => {
                facts.miss_peer();
                None
            }
            Some(Ok(client)) => Some(client),
            Some(Err(unreadable)) => {
                facts.refuse_peer(unreadable);
                None
            }
        };
        facts.add_ip(&Role::Ip, client);
    }
}

/// How much of an address of IPv6 belongs to one client.
const CLIENT_BITS: u32 = 64;
/// The longest text: an address of IPv6 in full, and the prefix.
const TEXT_BYTES_MAX: usize = 48;

/// An address as text, without asking for memory.
pub(crate) struct IpText {
    bytes: [u8; TEXT_BYTES_MAX],
    len: usize,
}

impl IpText {
    /// The address itself.
    pub(crate) fn whole(ip: IpAddr) -> Self {
        match ip {
            IpAddr::V4(ip) => Self::of_four(ip.octets()),
            IpAddr::V6(ip) => Self::of(format_args!("{ip}")),
        }
    }

    /// What a client is counted by: the address of IPv4, or the network of IPv6.
    pub(crate) fn of_client(ip: IpAddr) -> Self {
        match ip {
            IpAddr::V4(ip) => Self::of_four(ip.octets()),
            IpAddr::V6(ip) => {
                let network = Ipv6Addr::from_bits(ip.to_bits() & (u128::MAX << CLIENT_BITS));
                Self::of(format_args!("{network}/{CLIENT_BITS}"))
            }
        }
    }

    fn empty() -> Self {
        let bytes = [0; TEXT_BYTES_MAX];
        Self { bytes, len: 0 }
    }

    fn of(text: fmt::Arguments<'_>) -> Self {
        let mut written = Self::empty();
        // There is room for the longest.
        written.write_fmt(text).ok();
        written
    }

    fn of_four(octets: [u8; 4]) -> Self {
        let mut written = Self::empty();
        for (place, octet) in octets.into_iter().enumerate() {
            if place > 0 {
                written.push(b'.');
            }
            if octet >= 100 {
                written.push(b'0' + octet / 100);
            }
            if octet >= 10 {
                written.push(b'0' + octet / 10 % 10);
            }
            written.push(b'0' + octet % 10);
        }
        written
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.len).unwrap_or_default();
        str::from_utf8(bytes).unwrap_or_default()
    }
}

impl fmt::Write for IpText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|byte| self.push(byte));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_as_they_are_read() {
        let mut rng = tollgate_testkit::Rng::new(7);
        for _ in 0..10_000 {
            let four = IpAddr::from(u32::try_from(rng.below(1 << 32)).unwrap().to_be_bytes());
            assert_eq!(IpText::whole(four).as_str(), four.to_string());
            assert_eq!(IpText::of_client(four).as_str(), four.to_string());
        }
        let longest = "2001:1db8:1111:2222:3333:4444:5555:6666".parse().unwrap();
        assert_eq!(IpText::whole(longest).as_str(), "2001:1db8:1111:2222:3333:4444:5555:6666");
        assert_eq!(IpText::of_client(longest).as_str(), "2001:1db8:1111:2222::/64");
    }
}
