//! Where a request really came from.

use std::net::IpAddr;

use tollgate_wire::http1::Headers;

use super::{
    TrustedProxies,
    hops::{self, Hop},
};

/// The address that a request is counted by: the first on its way back, from us towards the client, that
/// is not one of our proxies. Whatever stands before that was written by somebody we do not know.
///
/// - A peer that is no proxy is the client itself, whatever headers it sends.
/// - `X-Forwarded-For` is read, and `Forwarded` where there is none: every gateway with a snippet writes the
///   former itself, and some hand on what a client wrote into the latter.
/// - Where the way cannot be read, the last address that could be is the client: all who hide behind one
///   proxy share its budget.
/// - If all are proxies, the farthest is the client.
pub(crate) fn client_address(
    peer: IpAddr,
    proxies: &TrustedProxies,
    headers: Headers<'_>,
) -> IpAddr {
    let peer = peer.to_canonical();
    if !proxies.has(peer) {
        return peer;
    }
    let mut way = Vec::new();
    let mut is_listed = false;
    for line in headers.all("x-forwarded-for") {
        is_listed = true;
        hops::of_list(line, &mut way);
    }
    if !is_listed {
        let lines = headers.all("forwarded");
        lines.for_each(|line| hops::of_forwarded(line, &mut way));
    }
    farthest_known(peer, proxies, &way)
}

/// Goes back from the peer for as long as proxies vouch for what came before them.
fn farthest_known(peer: IpAddr, proxies: &TrustedProxies, way: &[Hop]) -> IpAddr {
    let mut known = peer;
    for hop in way.iter().rev() {
        match hop {
            Hop::At(address) => known = *address,
            Hop::Unknown => break,
        }
        if !proxies.has(known) {
            break;
        }
    }
    known
}
