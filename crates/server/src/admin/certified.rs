//! Who is on the other side of a connection, for all requests that come over it.

use std::{net::IpAddr, sync::Arc};

use axum::http::Extensions;

/// What a client's certificate calls it.
#[derive(Clone, Debug)]
pub(super) struct Certified(pub(super) Arc<str>);

impl Certified {
    /// Of whom a request comes, if a certificate says so.
    pub(super) fn of(extensions: &Extensions) -> Option<&str> {
        extensions.get().map(|Self(name)| &**name)
    }
}

/// Where a connection comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct From(pub(super) IpAddr);

impl From {
    /// Of where a request comes from, if it came over a socket.
    pub(super) fn of(extensions: &Extensions) -> Option<IpAddr> {
        extensions.get().map(|Self(address)| *address)
    }
}
