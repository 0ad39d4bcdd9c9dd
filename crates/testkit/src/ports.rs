//! Ports for real servers.

use std::{
    io::ErrorKind,
    net::{Ipv4Addr, SocketAddr, TcpStream},
    ops::Range,
    os::{
        linux::net::SocketAddrExt as _,
        unix::net::{SocketAddr as UnixAddr, UnixListener},
    },
    process,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU16, Ordering::Relaxed},
    },
    time::Duration,
};

/// Below the ports that Linux gives to outgoing connections: none of them takes the port of a server
/// that is stopped for a while, and no client of a stopped server connects to itself.
const PORTS: Range<u16> = 20_000..32_768;
const PORTS_TRIED_MAX: usize = 100;
/// Far longer than this machine takes to say that nothing listens.
const ANSWER_MAX: Duration = Duration::from_secs(1);

/// A port of the loopback interface. No other test on this machine is given it while this lives, whether a
/// server listens on it or not: a test that runs beside this one, perhaps in another process, cannot take
/// the port of a server that is killed and about to be started again.
#[derive(Debug)]
pub(crate) struct Port {
    number: u16,
    /// A name that only one process at a time can have, and that ends with its process.
    _claim: UnixListener,
}

impl Port {
    fn claim(number: u16) -> Option<Self> {
        let name = format!("tollgate-testkit-port-{number}");
        let name = UnixAddr::from_abstract_name(name).expect("a short name");
        let claim = UnixListener::bind_addr(&name).ok()?;
        let port = Self { number, _claim: claim };
        // Other programs do not ask for the name. To bind the port would be to keep it for a moment longer: a
        // program that another test is starting has a copy of our sockets until it runs.
        let error = TcpStream::connect_timeout(&port.address(), ANSWER_MAX).err()?;
        (error.kind() == ErrorKind::ConnectionRefused).then_some(port)
    }

    pub(crate) const fn number(&self) -> u16 {
        self.number
    }

    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.number))
    }
}

/// An address of this machine on which nothing listens. It is given to no other test until this process
/// ends, so that a server there can be stopped and started again.
///
/// # Panics
///
/// If none of many ports is free.
pub fn free_address() -> SocketAddr {
    static CLAIMED: Mutex<Vec<Port>> = Mutex::new(Vec::new());
    let port = ports().next().expect("one of many ports is free");
    let address = port.address();
    let mut claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner);
    claimed.push(port);
    address
}

/// Free ports, from a place that differs between the processes and servers of one machine.
pub(crate) fn ports() -> impl Iterator<Item = Port> {
    static SERVERS: AtomicU16 = AtomicU16::new(0);
    let step = u32::from(SERVERS.fetch_add(1, Relaxed)) * 101 + process::id() * 7;
    let count = u32::from(PORTS.end - PORTS.start);
    (0..count)
        .map(move |at| (step + at) % count)
        .map(|offset| PORTS.start + u16::try_from(offset).expect("within the range"))
        .filter_map(Port::claim)
        .take(PORTS_TRIED_MAX)
}

#[cfg(test)]
mod tests {
    use std::{
        net::{TcpListener, TcpStream},
        time::Duration,
    };

    use super::{Port, free_address, ports};
    use crate::wait_for;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_port_is_given_once_whether_a_server_listens_or_not() {
        let port = ports().next().unwrap();
        assert!(Port::claim(port.number()).is_none());
        assert!(TcpStream::connect(port.address()).is_err());
        for _ in 0..2 {
            // A program that another test is starting has a copy of the server before until it runs.
            let server = wait_for("the port", LONG, || TcpListener::bind(port.address()).ok());
            assert!(Port::claim(port.number()).is_none());
            drop(server);
        }
    }

    #[test]
    fn an_address_is_kept_until_the_process_ends() {
        let address = free_address();
        assert!(Port::claim(address.port()).is_none());
    }
}
