//! Where a gateway finds the server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tollgate_server::Listeners;

/// The addresses that go into a snippet.
#[derive(Debug)]
pub(super) struct Place {
    http: SocketAddr,
    grpc: SocketAddr,
}

/// How the gateway speaks to a listener. Those with TLS will need another word here.
const SCHEME: &str = "http";

impl Place {
    /// Of a server that listens there; an error names the setting.
    pub(super) fn of(listen: &Listeners) -> Result<Self, String> {
        Ok(Self {
            http: reachable("http", listen.http)?,
            grpc: reachable("grpc", listen.grpc)?,
        })
    }

    /// The template with the addresses in their places.
    pub(super) fn fill(&self, template: &str) -> String {
        template
            .replace("{{scheme}}", SCHEME)
            .replace("{{http}}", &self.http.to_string())
            .replace("{{grpc_host}}", &self.grpc.ip().to_string())
            .replace("{{grpc_port}}", &self.grpc.port().to_string())
    }
}

/// A listener on every address is reached by the one of this machine.
fn reachable(setting: &str, address: SocketAddr) -> Result<SocketAddr, String> {
    if address.port() == 0 {
        return Err(format!(
            "{setting} is {address}, a port that is not known before the server starts: name the one it has \
             with --{setting}"
        ));
    }
    let ip = match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        other => other,
    };
    Ok(SocketAddr::new(ip, address.port()))
}

#[cfg(test)]
mod tests {
    use super::reachable;

    #[test]
    fn a_listener_everywhere_is_reached_here() {
        for (listens, reached) in [
            ("127.0.0.1:7070", "127.0.0.1:7070"),
            ("0.0.0.0:7070", "127.0.0.1:7070"),
            ("[::]:7070", "[::1]:7070"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            let found = reachable("http", listens.parse().unwrap()).unwrap();
            assert_eq!(found.to_string(), reached);
        }
        let error = reachable("http", "127.0.0.1:0".parse().unwrap()).unwrap_err();
        assert!(error.contains("--http"), "{error}");
    }
}
