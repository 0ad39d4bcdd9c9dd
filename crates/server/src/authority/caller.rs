//! What a caller presents.

use std::net::SocketAddr;

/// What a caller presents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller<'a> {
    /// The listener that it came through can be reached from this machine only.
    pub(crate) door: Door,
    /// The token that it showed, without `Bearer`.
    pub(crate) token: Option<&'a str>,
    /// What its certificate calls it, if it showed one that is signed by whom the listener believes.
    pub(crate) name: Option<&'a str>,
}

impl Caller<'_> {
    /// Whether it is one of us: on this machine, or with a certificate from whom we believe. Refund and
    /// reset come from the service itself, so its neighbours need no token for that; without a token
    /// they need none for anything.
    pub(super) const fn is_near(&self) -> bool {
        matches!(self.door, Door::Loopback) || self.name.is_some()
    }
}

/// Where a listener can be reached from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    /// This machine only.
    Loopback,
    /// Anywhere.
    Open,
}

impl Door {
    /// Of a listener at this address.
    pub(crate) const fn of(address: SocketAddr) -> Self {
        if address.ip().is_loopback() {
            Self::Loopback
        } else {
            Self::Open
        }
    }
}
