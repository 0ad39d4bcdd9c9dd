//! Ports for real servers.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    ops::Range,
    process,
    sync::atomic::{AtomicU16, Ordering::Relaxed},
};

/// Below the ports that Linux gives to outgoing connections: nobody takes the port of a server
/// that is stopped for a while, and nobody who tries to connect to it connects to itself.
const PORTS: Range<u16> = 20_000..32_768;
const PORTS_TRIED_MAX: usize = 100;

/// An address of this machine that nobody listens on, and that stays free for a server that is stopped
/// and started again.
///
/// # Panics
///
/// If none of many ports is free.
pub fn free_address() -> SocketAddr {
    let port = ports().next().expect("one of many ports is free");
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

/// Free ports, from a place that differs between the processes and servers of one machine.
pub(crate) fn ports() -> impl Iterator<Item = u16> {
    static SERVERS: AtomicU16 = AtomicU16::new(0);
    let step = u32::from(SERVERS.fetch_add(1, Relaxed)) * 101 + process::id() * 7;
    let count = u32::from(PORTS.end - PORTS.start);
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    (0..count)
        .map(move |at| (step + at) % count)
        .map(|offset| PORTS.start + u16::try_from(offset).expect("within the range"))
        .filter(is_free)
        .take(PORTS_TRIED_MAX)
}
