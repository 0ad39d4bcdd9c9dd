//! Who may say for whom it asks.

use super::Identifier;
use crate::{
    authority::{Authority, Caller, Door},
    listen::Peer,
};

/// What a peer's address and certificate are worth: found out once a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// It is on this machine, or showed a certificate from whom we believe.
    Near,
    /// Its address is one of `trusted_callers`.
    Listed,
    /// Nothing is known of it, unless it shows a token of ours.
    Stranger,
}

impl Trust {
    /// Whether a caller may say for whom it asks. A token is looked at only if nothing else speaks for it.
    #[inline]
    pub(crate) fn may_state(self, authority: &Authority, token: Option<&str>) -> bool {
        match self {
            Self::Near | Self::Listed => true,
            Self::Stranger => {
                let (door, name) = (Door::Open, None);
                token.is_some() && authority.knows(Caller { door, token, name })
            }
        }
    }
}

impl Identifier {
    /// What a peer is worth.
    pub(crate) fn trust(&self, peer: &Peer) -> Trust {
        let address = peer.address.ip().to_canonical();
        let is_here = peer.is_direct() && address.is_loopback();
        if is_here || peer.name.is_some() {
            return Trust::Near;
        }
        if self.callers.has(address) {
            return Trust::Listed;
        }
        Trust::Stranger
    }
}
