//! Who is believed when it says whom it speaks for.

use std::{net::IpAddr, str::FromStr};

use ipnet::{IpNet, Ipv4Net};

/// The networks of the proxies in front of a server: only they are believed when they name their
/// client.
///
/// ```
/// use tollgate_wire::forwarded::TrustedProxies;
///
/// let proxies: TrustedProxies = "10.0.0.0/8, ::1".parse()?;
/// assert!(proxies.has("10.1.2.3".parse()?));
/// assert!(proxies.has("::ffff:10.1.2.3".parse()?));
/// assert!(!proxies.has("192.0.2.1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedProxies {
    networks: Vec<IpNet>,
}

impl TrustedProxies {
    /// How it is written that nobody is believed.
    pub const NONE: &str = "none";

    /// The most networks.
    pub const COUNT_MAX: usize = 256;

    /// Nobody.
    pub const fn none() -> Self {
        let networks = Vec::new();
        Self { networks }
    }

    /// Whether this is one of them.
    pub fn has(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.networks.iter().any(|network| network.contains(&address))
    }
}

/// Why a text is not a list of networks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProxiesError {
    /// A part that is no network.
    #[error(
        "{0:?} is neither a network nor an address: expected a list such as 10.0.0.0/8,::1, or none"
    )]
    Network(String),
    /// A network of everybody.
    #[error(
        "{0} is everybody, and every client could name itself as it likes: list the networks of your proxies"
    )]
    Everybody(IpNet),
    /// Too many of them.
    #[error("expected at most {} networks", TrustedProxies::COUNT_MAX)]
    TooMany,
}

impl FromStr for TrustedProxies {
    type Err = ProxiesError;

    fn from_str(text: &str) -> Result<Self, ProxiesError> {
        if text.trim() == Self::NONE {
            return Ok(Self::none());
        }
        let networks = text.split(',').map(|part| network(part.trim()));
        let networks: Vec<IpNet> = networks.take(Self::COUNT_MAX + 1).collect::<Result<_, _>>()?;
        if networks.len() > Self::COUNT_MAX {
            return Err(ProxiesError::TooMany);
        }
        Ok(Self { networks })
    }
}

fn network(text: &str) -> Result<IpNet, ProxiesError> {
    const SHOWN_CHARS_MAX: usize = 64;
    let address = || text.parse::<IpAddr>().map(IpNet::from).ok();
    let network = text.parse::<IpNet>().ok().or_else(address);
    let Some(network) = network else {
        let shown = text.chars().take(SHOWN_CHARS_MAX).collect();
        return Err(ProxiesError::Network(shown));
    };
    // First folded: `::ffff:0:0/96` is 0.0.0.0/0.
    let network = folded(network.trunc());
    if network.prefix_len() == 0 {
        return Err(ProxiesError::Everybody(network));
    }
    Ok(network)
}

/// Networks of IPv4 in the clothes of IPv6 are networks of IPv4, as the addresses are.
fn folded(network: IpNet) -> IpNet {
    let IpNet::V6(six) = network else {
        return network;
    };
    let four = six.addr().to_ipv4_mapped().zip(six.prefix_len().checked_sub(96));
    let four = four.and_then(|(four, prefix)| Ipv4Net::new(four, prefix).ok());
    four.map_or(network, IpNet::V4)
}
