//! What is known of a request where a framework is left out.

use std::net::SocketAddr;

use http::{Extensions, Uri};

pub(crate) const fn peer(_extensions: &Extensions) -> Option<SocketAddr> {
    None
}

#[allow(dead_code, reason = "only axum has an answer, so only its place asks")]
pub(crate) const fn original(_extensions: &Extensions) -> Option<&Uri> {
    None
}
