//! Where clients are found.

mod examples;
mod model;

use std::net::IpAddr;

use tollgate_wire::http1::{Decoded, Decoder, Limits};

use super::{TrustedProxies, client_address};

/// The proxies of these tests.
fn proxies() -> TrustedProxies {
    "10.0.0.0/8, ::1, 2001:db8:1::/48".parse().unwrap()
}

/// Where a request with these header lines came from, for whom it reached us by this peer.
#[track_caller]
fn found(peer: IpAddr, lines: &[u8]) -> IpAddr {
    let mut head = b"GET / HTTP/1.1\r\nHost: a\r\n".to_vec();
    head.extend_from_slice(lines);
    head.extend_from_slice(b"\r\n");
    let mut decoder = Decoder::new(Limits::default());
    match decoder.decode(&head) {
        Ok(Decoded::Whole { request, .. }) => client_address(peer, &proxies(), request.headers),
        other => panic!("{other:?}: {}", String::from_utf8_lossy(&head)),
    }
}
