//! A folder with an authority, a server's certificate and those of clients.

use std::{io, net::SocketAddr, path::PathBuf, time::Duration};

use tollgate_testkit::{
    certificates::{A_YEAR, Authority, Holds, Signed},
    tls::{Client, Sealed},
};

use crate::common::{Desk, http::Http, server::Server};

/// A desk with certificates on it.
pub(crate) struct House {
    pub(crate) desk: Desk,
    pub(crate) authority: Authority,
    /// The server's.
    pub(crate) ours: Signed,
    pub(crate) ca: PathBuf,
}

/// The words that turn TLS on for every listener.
pub(crate) const SEALED: [&str; 4] = ["--tls-cert", "server.pem", "--tls-key", "server.key"];
/// The words that ask every client for a certificate.
pub(crate) const KNOWN: [&str; 2] = ["--tls-client-ca", "ca.pem"];

pub(crate) const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl House {
    pub(crate) fn new() -> Self {
        Self::holding(A_YEAR)
    }

    /// With a server's certificate that holds so long.
    pub(crate) fn holding(holds: Holds) -> Self {
        let desk = Desk::new();
        let authority = Authority::new("the house");
        let ca = desk.path("ca.pem");
        authority.write(&ca);
        let ours = authority.server(&desk.path(""), "server", holds);
        Self { desk, authority, ours, ca }
    }

    /// A certificate for a client, by the authority of the house.
    pub(crate) fn client(&self, name: &str, holds: Holds) -> Signed {
        self.authority.client(&self.desk.path(""), name, holds)
    }

    /// A server with TLS on every listener, and these words besides.
    pub(crate) fn serve(&self, words: &[&str]) -> Server {
        self.desk.serve(&[&SEALED, words].concat())
    }

    /// Somebody who believes the house.
    pub(crate) fn caller(&self, identity: Option<&Signed>) -> Client {
        Client::new(&self.ca, identity)
    }

    pub(crate) fn connect(&self, address: SocketAddr, identity: Option<&Signed>) -> Sealed {
        self.caller(identity).connect(address).unwrap()
    }

    pub(crate) fn http(&self, address: SocketAddr, identity: Option<&Signed>) -> Http {
        Http::over(address, Box::new(self.connect(address, identity)))
    }

    /// Asks for the health over a connection of its own: the answer, or why there is none.
    pub(crate) fn knock(
        &self,
        address: SocketAddr,
        identity: Option<&Signed>,
    ) -> io::Result<crate::common::http::Reply> {
        let stream = self.caller(identity).connect(address)?;
        Http::over(address, Box::new(stream)).try_ask("GET", "/readyz", "")
    }
}
