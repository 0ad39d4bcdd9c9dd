//! Where a request really came from.

use std::net::IpAddr;

use tollgate_wire::{
    forwarded::{self, ProxyHeader, TrustedProxies, UnreadableClient},
    http1::{Headers, Passage},
};

/// Which proxies are believed when they name their client, and in which header.
#[derive(Clone, Debug)]
pub(crate) struct ClientAddress {
    pub(crate) proxies: TrustedProxies,
    pub(crate) header: ProxyHeader,
}

/// Why it is not known where a request came from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnknownClient {
    #[error(transparent)]
    Unreadable(#[from] UnreadableClient),
    #[error(
        "a trusted proxy sent this request without the header {0}, so that it is not known for whom it asks: have the proxy \
         write the client's address into it, or name the header that it writes by the setting client_address"
    )]
    Unnamed(ProxyHeader),
}

impl ClientAddress {
    /// The address of a gateway's client; see [`forwarded::client_address`].
    pub(crate) fn of_client(
        &self,
        peer: IpAddr,
        headers: Headers<'_>,
    ) -> Result<IpAddr, UnreadableClient> {
        let lines = headers.all(self.header.name());
        forwarded::client_address(&self.header, peer, &self.proxies, lines)
    }

    /// The address of a caller, which is not the proxy's if the request came through one that does not say for whom.
    pub(crate) fn of_caller(
        &self,
        peer: IpAddr,
        (headers, passage): (Headers<'_>, Passage),
    ) -> Result<IpAddr, UnknownClient> {
        let is_named = || headers.all(self.header.name()).next().is_some();
        if passage == Passage::Proxied && self.proxies.has(peer) && !is_named() {
            return Err(UnknownClient::Unnamed(self.header.clone()));
        }
        Ok(self.of_client(peer, headers)?)
    }
}
