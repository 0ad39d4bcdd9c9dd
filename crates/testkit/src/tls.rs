//! The smallest client of TLS that will do.

use std::{
    io,
    net::{SocketAddr, TcpStream},
    path::Path,
    sync::Arc,
    time::Duration,
};

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    client::Resumption,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject as _},
};

use crate::certificates::Signed;

/// A connection after its handshake.
pub type Sealed = StreamOwned<ClientConnection, TcpStream>;

/// Somebody who connects with TLS.
#[derive(Clone, Debug)]
pub struct Client {
    config: Arc<ClientConfig>,
}

/// Longer than any answer takes that comes.
const WAIT: Duration = Duration::from_secs(30);

impl Client {
    /// Who believes those in this file, and shows a certificate if it has one. Nothing is resumed.
    pub fn new(ca: &Path, identity: Option<&Signed>) -> Self {
        Self::speaking(ca, identity, &[])
    }

    /// The same, offering to speak one of these protocols.
    pub fn speaking(ca: &Path, identity: Option<&Signed>, protocols: &[&str]) -> Self {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_file_iter(ca).unwrap() {
            roots.add(certificate.unwrap()).unwrap();
        }
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().unwrap();
        let builder = builder.with_root_certificates(roots);
        let mut config = match identity {
            None => builder.with_no_client_auth(),
            Some(signed) => {
                let chain = CertificateDer::pem_file_iter(&signed.certificate).unwrap();
                let chain = chain.map(Result::unwrap).collect();
                let key = PrivateKeyDer::from_pem_file(&signed.key).unwrap();
                builder.with_client_auth_cert(chain, key).unwrap()
            }
        };
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().into()).collect();
        config.resumption = Resumption::disabled();
        Self { config: Arc::new(config) }
    }

    /// The same, coming back with what it was given the last time.
    #[must_use]
    pub fn resuming(mut self) -> Self {
        Arc::make_mut(&mut self.config).resumption = Resumption::in_memory_sessions(8);
        self
    }

    /// What it believes and shows, for those who connect themselves.
    pub const fn config(&self) -> &Arc<ClientConfig> {
        &self.config
    }

    /// Connects as to `localhost` and shakes hands.
    ///
    /// # Errors
    ///
    /// What either side has against it, as far as that is known by then: a server that asks for a
    /// certificate says only afterwards that it does not like it.
    pub fn connect(&self, address: SocketAddr) -> io::Result<Sealed> {
        let mut socket = TcpStream::connect(address)?;
        socket.set_read_timeout(Some(WAIT))?;
        socket.set_write_timeout(Some(WAIT))?;
        socket.set_nodelay(true)?;
        let name = ServerName::try_from("localhost").unwrap();
        let mut session =
            ClientConnection::new(Arc::clone(&self.config), name).map_err(io::Error::other)?;
        while session.is_handshaking() {
            session.complete_io(&mut socket)?;
        }
        Ok(StreamOwned::new(session, socket))
    }
}

/// The certificate that the other side showed.
pub fn shown(stream: &Sealed) -> &[u8] {
    let chain = stream.conn.peer_certificates().unwrap();
    chain[0].as_ref()
}
