//! Taking a port.

use std::{io, net::SocketAddr};

use tokio::net::TcpListener;

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

/// Takes the port, and says which if any would do.
pub(crate) async fn bind(
    flag: &'static str,
    address: SocketAddr,
) -> Result<(TcpListener, SocketAddr), BindError> {
    let failed = |source| BindError {
        flag,
        address,
        source,
    };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}
