//! Who is trusted: the one place where it is decided.
//!
//! | caller | states user, organisation, tier, `ip`, an API key of another system | changes counters, admin side |
//! | --- | --- | --- |
//! | on this machine | yes | yes |
//! | on this machine, through a proxy there | no | with a token |
//! | with a certificate | yes | yes |
//! | with a token of this server | yes | as its role says |
//! | in `trusted_callers` | yes | with a token |
//! | a web page, wherever its browser is | no | with a token |
//! | any other | no | with a token |
//!
//! What a request says in its headers only ever takes trust away.

use std::net::IpAddr;

use http::HeaderMap;
use tollgate_wire::{
    forwarded::is_of_proxy,
    http1::{Asker, Passage, Request},
};

use super::Identifier;
use crate::{
    authority::{Authority, Caller, Door},
    listen::Peer,
};

/// What a peer's address and certificate prove: found out once a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The connection comes from this machine.
    Loopback,
    /// It showed a certificate that the listener asked for.
    Certified,
    /// Its address is one of `trusted_callers`.
    Listed,
    /// Nothing, unless it shows a token of ours.
    Stranger,
}

/// Who sent a request on a connection, as far as its headers tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sender {
    pub(crate) asker: Asker,
    pub(crate) passage: Passage,
}

/// What a caller may state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// For whom it asks.
    Trusted,
    /// Nothing but what is its own.
    Stranger(Stranger),
}

/// A caller that is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stranger {
    pub(crate) why: Distrust,
    /// Its own address, which is its `ip`. None for Envoy, which asks for clients at other addresses.
    pub(crate) address: Option<IpAddr>,
    /// Where its connection comes from, for the log.
    pub(crate) peer: Option<IpAddr>,
}

/// Why a caller is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distrust {
    /// It is not on this machine, and shows nothing.
    Unknown,
    /// It is not known who sent the request through a proxy on this machine.
    Proxied,
    /// A page speaks for its author, not for the machine or the certificate of the browser that shows it.
    Page,
}

impl Distrust {
    /// What an operator can do about it.
    pub(super) const fn remedy(self) -> &'static str {
        match self {
            Self::Unknown => {
                "give it a token (`tollgate tokens create NAME --role viewer`) or a certificate, or add its address to \
                 trusted_callers"
            }
            Self::Proxied => {
                "the request came through a proxy on this machine; give the proxy a token (`tollgate tokens create NAME \
                 --role viewer`), or add its address to trusted_callers"
            }
            Self::Page => {
                "the request comes from a web page, which may ask for its own address, token or API key only"
            }
        }
    }
}

/// What the admin side, and whoever changes counters, is told of a request that lost the trust in this machine.
pub(crate) const PROXIED: &str = "this request came through a proxy (it has X-Forwarded-*, Forwarded, X-Real-IP or Via), so it is \
    not trusted as one from this machine: send `Authorization: Bearer TOKEN` with a token of this server (set token_file, or \
    issue one with `tollgate tokens create`)";

impl Sender {
    /// A caller of a protocol without headers.
    pub(crate) const PLAIN: Self = Self { asker: Asker::Program, passage: Passage::Direct };

    pub(crate) const fn of(request: &Request<'_>) -> Self {
        Self { asker: request.asker, passage: request.passage }
    }

    /// Of a call over gRPC. Envoy writes `X-Forwarded-For` on its own calls, so that tells of no proxy there.
    pub(crate) fn of_call(headers: &HeaderMap) -> Self {
        let is_envoys = |name: &str| name.starts_with("x-forwarded-");
        let mut names = headers.keys().map(|name| name.as_str());
        Self {
            asker: match headers.contains_key(http::header::ORIGIN) {
                true => Asker::Page,
                false => Asker::Program,
            },
            passage: match names.any(|name| is_of_proxy(name) && !is_envoys(name)) {
                true => Passage::Proxied,
                false => Passage::Direct,
            },
        }
    }
}

/// Whether headers tell that a proxy handed the request on.
pub(crate) fn passage_of(headers: &HeaderMap) -> Passage {
    match headers.keys().any(|name| is_of_proxy(name.as_str())) {
        true => Passage::Proxied,
        false => Passage::Direct,
    }
}

/// Through which door a request comes, and which certificate speaks for it, where counters are changed or the server is
/// administered.
pub(crate) const fn credentials(
    door: Door,
    name: Option<&str>,
    sender: Sender,
) -> (Door, Option<&str>) {
    match (sender.asker, sender.passage) {
        (Asker::Page, _) => (Door::Open, None),
        (Asker::Program, Passage::Proxied) => (Door::Open, name),
        (Asker::Program, Passage::Direct) => (door, name),
    }
}

impl Trust {
    /// Why what the connection proves does not go for this request; none if it does.
    const fn distrust(self, sender: Sender) -> Option<Distrust> {
        match (self, sender.asker, sender.passage) {
            (_, Asker::Page, _) => Some(Distrust::Page),
            (Self::Stranger, ..) => Some(Distrust::Unknown),
            (Self::Loopback, _, Passage::Proxied) => Some(Distrust::Proxied),
            (Self::Loopback | Self::Certified | Self::Listed, ..) => None,
        }
    }

    /// Why the caller may not say for whom it asks; none if it may. A token is looked at only if nothing else speaks for
    /// the caller.
    #[inline]
    pub(crate) fn stranger(
        self,
        sender: Sender,
        authority: &Authority,
        token: Option<&str>,
    ) -> Option<Distrust> {
        let why = self.distrust(sender)?;
        let (door, name) = (Door::Open, None);
        let is_known = token.is_some() && authority.knows(Caller { door, token, name });
        (!is_known).then_some(why)
    }
}

impl Standing {
    /// Of a caller that is a stranger for this reason, if any, at its own address, connected from `peer`.
    pub(crate) fn of(why: Option<Distrust>, address: Option<IpAddr>, peer: Option<IpAddr>) -> Self {
        why.map_or(Self::Trusted, |why| Self::Stranger(Stranger { why, address, peer }))
    }
}

impl Identifier {
    /// What a peer proves.
    pub(crate) fn trust(&self, peer: &Peer) -> Trust {
        let address = peer.address.ip().to_canonical();
        if peer.name.is_some() {
            return Trust::Certified;
        }
        // An address of this machine can be listed: then a proxy there may speak for others.
        if self.callers.has(address) {
            return Trust::Listed;
        }
        if peer.is_direct() && address.is_loopback() {
            return Trust::Loopback;
        }
        Trust::Stranger
    }
}
