//! Where a request really came from.

use std::{net::IpAddr, str::FromStr};

use tollgate_wire::{
    forwarded,
    forwarded::{ProxyHeader, TrustedProxies, UnreadableClient},
    http1::{Headers, Passage},
};

use super::ProxiesError;

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

/// The callers that may state tier, user and organisation although they are far away and show nothing.
///
/// ```
/// use tollgate_server::TrustedCallers;
///
/// let callers: TrustedCallers = "10.0.0.0/8".parse()?;
/// assert!(callers.has("10.1.2.3".parse()?));
/// assert!(!callers.has("192.0.2.1".parse()?));
/// assert!("all".parse::<TrustedCallers>()?.has("192.0.2.1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustedCallers {
    /// Everybody who can reach a listener.
    All,
    /// Those in these networks.
    In(TrustedProxies),
}

impl TrustedCallers {
    /// How it is written that everybody is believed.
    pub const ALL: &str = "all";

    /// Whether this is one of them.
    pub fn has(&self, address: IpAddr) -> bool {
        match self {
            Self::All => true,
            Self::In(networks) => networks.has(address),
        }
    }
}

impl FromStr for TrustedCallers {
    type Err = ProxiesError;

    fn from_str(text: &str) -> Result<Self, ProxiesError> {
        if text.trim() == Self::ALL {
            return Ok(Self::All);
        }
        text.parse().map(Self::In)
    }
}
