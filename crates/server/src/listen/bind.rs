//! Taking a port, and listening on it later.

use std::{io, net::SocketAddr};

use tokio::net::{TcpListener, TcpSocket};

/// Why a listener does not listen.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address} (--{flag}): {}", remedy(.source, .flag))]
pub struct BindError {
    flag: &'static str,
    address: SocketAddr,
    source: io::Error,
}

impl BindError {
    /// Whether somebody else has the port.
    pub(crate) fn is_taken(&self) -> bool {
        self.source.kind() == io::ErrorKind::AddrInUse
    }
}

fn remedy(error: &io::Error, flag: &str) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => format!(
            "another process has this port; stop it, or choose another with --{flag} HOST:PORT"
        ),
        io::ErrorKind::AddrNotAvailable => {
            format!("this machine has no such address; name one of its own with --{flag}")
        }
        io::ErrorKind::PermissionDenied => {
            format!("a port below 1024 needs privileges; choose another with --{flag} HOST:PORT")
        }
        _ => error.to_string(),
    }
}

/// Connections that the kernel keeps for us until they are accepted.
const BACKLOG: u32 = 1_024;

/// A port that is taken and refuses connections: a server that cannot start must not accept a client first.
#[derive(Debug)]
pub(crate) struct BoundSocket {
    flag: &'static str,
    address: SocketAddr,
    socket: TcpSocket,
}

impl BoundSocket {
    /// Takes the port of the listener that `--flag` names. Port 0 takes any free one.
    pub(crate) fn bind(flag: &'static str, address: SocketAddr) -> Result<Self, BindError> {
        let failed = |source| BindError { flag, address, source };
        let socket = match address {
            SocketAddr::V4(_) => TcpSocket::new_v4(),
            SocketAddr::V6(_) => TcpSocket::new_v6(),
        };
        let socket = socket.map_err(failed)?;
        // A port whose last connections still wait in TIME_WAIT can be taken again. A port that the kernel picks
        // must be free of any other socket.
        let is_named = address.port() != 0;
        socket.set_reuseaddr(is_named).map_err(failed)?;
        socket.bind(address).map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        Ok(Self { flag, address, socket })
    }

    /// The address with the port that was taken.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts connections from here on. Two servers that start at the same moment can bind the same port; only
    /// one of them can listen.
    pub(crate) fn listen(self) -> Result<TcpListener, BindError> {
        let (flag, address) = (self.flag, self.address);
        let listening = self.socket.listen(BACKLOG);
        listening.map_err(|source| BindError { flag, address, source })
    }
}

#[cfg(test)]
mod tests {
    use std::{io, net::TcpStream};

    use super::BoundSocket;

    #[tokio::test]
    async fn a_bound_socket_refuses_connections_until_it_listens() {
        let socket = BoundSocket::bind("http", "127.0.0.1:0".parse().unwrap()).unwrap();
        let address = socket.address();
        let refused = TcpStream::connect(address).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
        let listener = socket.listen().unwrap();
        TcpStream::connect(address).unwrap();
        let taken = BoundSocket::bind("resp", address).unwrap_err();
        assert!(taken.is_taken(), "{taken}");
        drop(listener);
    }

    #[tokio::test]
    async fn of_two_sockets_with_one_port_only_one_listens() {
        let address = tollgate_testkit::free_address();
        let one = BoundSocket::bind("http", address).unwrap();
        let other = BoundSocket::bind("http", address).unwrap();
        let listener = one.listen().unwrap();
        let late = other.listen().unwrap_err();
        let words = late.to_string();
        assert!(words.contains("another process has this port"), "{words}");
        drop(listener);
    }
}
