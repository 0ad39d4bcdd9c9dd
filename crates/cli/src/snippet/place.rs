//! Where a gateway finds the server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tollgate_server::{Settings, TlsFiles};

/// Where the listeners are, and how they are spoken to.
#[derive(Debug)]
pub(super) struct Place {
    http: Spot,
    grpc: Spot,
}

#[derive(Debug)]
struct Spot {
    address: SocketAddr,
    seal: Seal,
}

/// How a listener speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Seal {
    Clear,
    Tls,
    /// And it asks for a certificate in turn.
    Mutual,
}

impl Place {
    /// Of a server with these settings; an error names the one that is in the way.
    pub(super) fn of(settings: &Settings) -> Result<Self, String> {
        let (listen, tls) = (settings.listen, &settings.tls);
        let spot = |name: &str, address, files: &Option<TlsFiles>| {
            let address = reachable(name, address)?;
            let seal = match files {
                None => Seal::Clear,
                Some(files) if files.client_ca.is_some() => Seal::Mutual,
                Some(_) => Seal::Tls,
            };
            Ok::<_, String>(Spot { address, seal })
        };
        Ok(Self {
            http: spot("http", listen.http, &tls.http)?,
            grpc: spot("grpc", listen.grpc, &tls.grpc)?,
        })
    }

    /// The template with the addresses in their places, and of the lines that begin with a mark only those
    /// that are about how the listener speaks.
    pub(super) fn fill(&self, template: &str) -> String {
        let kept = template.lines().filter_map(|line| self.kept(line));
        let text: String = kept.flat_map(|line| [line, "\n"]).collect();
        let scheme = match self.http.seal {
            Seal::Clear => "http",
            Seal::Tls | Seal::Mutual => "https",
        };
        text.replace("{{scheme}}", scheme)
            .replace("{{http}}", &self.http.address.to_string())
            .replace("{{grpc_host}}", &self.grpc.address.ip().to_string())
            .replace("{{grpc_port}}", &self.grpc.address.port().to_string())
    }

    /// The line without its mark; none if it is about another way to speak.
    fn kept<'t>(&self, line: &'t str) -> Option<&'t str> {
        let (http, grpc) = (self.http.seal, self.grpc.seal);
        let marks = [
            ("{{http_clear}}", http == Seal::Clear),
            ("{{http_tls}}", http >= Seal::Tls),
            ("{{http_mutual}}", http == Seal::Mutual),
            ("{{grpc_tls}}", grpc >= Seal::Tls),
            ("{{grpc_mutual}}", grpc == Seal::Mutual),
        ];
        for (mark, applies) in marks {
            if let Some(rest) = line.strip_prefix(mark) {
                return applies.then_some(rest);
            }
        }
        Some(line)
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
