//! Where clients are found.

mod examples;
mod model;

use std::net::IpAddr;

use tollgate_wire::http1::{Decoded, Decoder, Limits};

use super::{ClientAddress, ProxyHeader, TrustedProxies};

/// The proxies of these tests.
fn proxies() -> TrustedProxies {
    "10.0.0.0/8, ::1, 2001:db8:1::/48".parse().unwrap()
}

/// Where a request with these header lines came from, for whom it reached us by this peer; none if that cannot be read.
#[track_caller]
fn found(header: &ProxyHeader, peer: IpAddr, lines: &[u8]) -> Option<IpAddr> {
    let mut head = b"GET / HTTP/1.1\r\nHost: a\r\n".to_vec();
    head.extend_from_slice(lines);
    head.extend_from_slice(b"\r\n");
    let mut decoder = Decoder::new(Limits::default());
    let address = ClientAddress { proxies: proxies(), header: header.clone() };
    match decoder.decode(&head) {
        Ok(Decoded::Whole { request, .. }) => address.of_client(peer, request.headers).ok(),
        other => panic!("{other:?}: {}", String::from_utf8_lossy(&head)),
    }
}
