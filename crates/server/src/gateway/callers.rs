//! Who may say for whom it asks.

use std::{net::IpAddr, str::FromStr};

use super::{ProxiesError, TrustedProxies};

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
