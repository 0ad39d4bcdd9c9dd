//! The same over TLS.

use std::{path::Path, sync::Arc};

use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream, rustls::pki_types::ServerName};
use tollgate_testkit::{
    certificates::{A_YEAR, Authority},
    tls::Client,
};

/// Whoever asks over TLS.
#[derive(Clone)]
pub(super) struct Seal(TlsConnector);

impl Seal {
    /// Writes a certificate for a server into a folder, as `server.pem` and `server.key`; this believes it.
    pub(super) fn of(folder: &Path) -> Self {
        let authority = Authority::new("bench");
        let ca = folder.join("ca.pem");
        authority.write(&ca);
        authority.server(folder, "server", A_YEAR);
        let client = Client::new(&ca, None);
        Self(TlsConnector::from(Arc::clone(client.config())))
    }

    pub(super) async fn connect(
        &self,
        stream: TcpStream,
    ) -> anyhow::Result<Box<TlsStream<TcpStream>>> {
        let name = ServerName::try_from("localhost")?;
        Ok(Box::new(self.0.connect(name, stream).await?))
    }
}
