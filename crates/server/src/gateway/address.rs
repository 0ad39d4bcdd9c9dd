//! Where a request really came from.

use std::net::IpAddr;

use tollgate_wire::{
    forwarded::{self, TrustedProxies},
    http1::Headers,
};

/// The address that a request is counted by; see [`forwarded::client_address`].
pub(crate) fn client_address(
    peer: IpAddr,
    proxies: &TrustedProxies,
    headers: Headers<'_>,
) -> IpAddr {
    forwarded::client_address(peer, proxies, |name| headers.all(name))
}
