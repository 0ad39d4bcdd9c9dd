//! The bodies of the fuzz targets about addresses of clients.

use std::net::{IpAddr, Ipv4Addr};

use tollgate_rules::normalise;
use tollgate_wire::forwarded::{ProxyHeader, TrustedProxies, UnreadableClient, client_address};

/// The proxy that is trusted, and that wrote the last entry of each header.
const PROXY: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
/// The client that the proxy saw.
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
/// Longer than any message about an address.
const MESSAGE_BYTES_MAX: usize = 1_024;

/// Reads arbitrary bytes as an address. Whatever they are: no panic; an address prints what reads back as the same, as a
/// fact and as a proxy's header alike; an error says something short.
///
/// ```
/// tollgate_testkit::fuzz::address(b"::ffff:192.0.2.1");
/// tollgate_testkit::fuzz::address(b"192.0.2");
/// ```
///
/// # Panics
///
/// If one of these does not hold.
pub fn address(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match normalise::address(&text) {
        Ok(address) => {
            let printed = address.to_string();
            assert_eq!(normalise::address(&printed), Ok(address), "{text:?}");
            assert_eq!(address, address.to_canonical(), "{text:?}");
            let network = normalise::network_of(address, 64);
            assert_eq!(normalise::network_of(network, 64), network, "{text:?}");
            assert_eq!(by_header("x-real-ip", [data]), Ok(address), "{text:?}");
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.len() <= MESSAGE_BYTES_MAX, "{text:?}: {message}");
        }
    }
}

/// Takes arbitrary bytes for what a client wrote into the header of a trusted proxy, which then added the client's address.
/// Whatever they are: no panic; the client is the one that the proxy saw, or is refused; it is never another.
///
/// ```
/// tollgate_testkit::fuzz::forwarded(b"6.6.6.6, 10.0.0.2");
/// tollgate_testkit::fuzz::forwarded(b"for=\"6.6.6.6");
/// ```
///
/// # Panics
///
/// If one of these does not hold.
pub fn forwarded(data: &[u8]) {
    let added = |entry: &str| [data, b", ", entry.as_bytes()].concat();
    let text = String::from_utf8_lossy(data);

    let list = added("192.0.2.1");
    assert_eq!(by_header("x-forwarded-for", [&*list]), Ok(CLIENT), "{text:?}");
    let lines = [data, b"192.0.2.1"];
    assert_eq!(by_header("x-forwarded-for", lines), Ok(CLIENT), "{text:?}");

    for entry in ["for=192.0.2.1", "for=\"192.0.2.1:80\";by=10.0.0.1"] {
        let list = added(entry);
        let client = by_header("forwarded", [&*list]);
        assert!(client.is_err() || client == Ok(CLIENT), "{text:?}: {client:?}");
        // A line of its own does not depend on what the client wrote.
        let client = by_header("forwarded", [data, entry.as_bytes()]);
        assert_eq!(client, Ok(CLIENT), "{text:?}");
    }

    // Beside what the proxy wrote, a header of one address is one too many.
    let twice = by_header("x-real-ip", [data, b"192.0.2.1"]);
    assert!(twice.is_err(), "{text:?}: {twice:?}");

    // Of a peer that is no proxy, nothing is read.
    let stranger = client_of(CLIENT, "x-forwarded-for", [data]);
    assert_eq!(stranger, Ok(CLIENT), "{text:?}");
}

fn by_header<'d>(
    name: &str,
    lines: impl IntoIterator<Item = &'d [u8]>,
) -> Result<IpAddr, UnreadableClient> {
    client_of(PROXY, name, lines)
}

fn client_of<'d>(
    peer: IpAddr,
    name: &str,
    lines: impl IntoIterator<Item = &'d [u8]>,
) -> Result<IpAddr, UnreadableClient> {
    let header: ProxyHeader = name.parse().expect("the name of a header");
    let proxies: TrustedProxies = "10.0.0.0/8".parse().expect("a network");
    client_address(&header, peer, &proxies, lines)
}
