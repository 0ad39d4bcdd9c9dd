//! TLS to a server.

use std::{fmt, io, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject as _},
};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

use crate::{BuildError, transport::Papers};

/// TLS to one server.
#[derive(Clone)]
pub(crate) struct Tls {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tls").field(&self.name).finish()
    }
}

impl Tls {
    pub(crate) fn new(host: &str, papers: &Papers) -> Result<Self, BuildError> {
        let wrong = |what: &str| BuildError::Tls(what.to_owned());
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| wrong("the server's name is none that a certificate can have"))?;
        let roots = roots(papers)?;
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong(&error.to_string()))?
            .with_root_certificates(roots);
        let config = match &papers.identity {
            None => builder.with_no_client_auth(),
            Some((chain, key)) => {
                let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(chain)
                    .collect::<Result<_, _>>()
                    .map_err(|error| wrong(&format!("the certificate is no PEM: {error}")))?;
                let key = PrivateKeyDer::from_pem_slice(key)
                    .map_err(|error| wrong(&format!("the key is no PEM: {error}")))?;
                let built = builder.with_client_auth_cert(chain, key);
                built.map_err(|error| wrong(&error.to_string()))?
            }
        };
        let config = Arc::new(config);
        Ok(Self { config, name })
    }

    pub(crate) async fn greet(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let connector = TlsConnector::from(Arc::clone(&self.config));
        connector.connect(self.name.clone(), stream).await
    }
}

fn roots(papers: &Papers) -> Result<RootCertStore, BuildError> {
    let mut roots = RootCertStore::empty();
    match &papers.roots {
        Some(pem) => {
            for root in CertificateDer::pem_slice_iter(pem) {
                let root = root.map_err(|error| BuildError::Tls(error.to_string()))?;
                let added = roots.add(root);
                added.map_err(|error| BuildError::Tls(error.to_string()))?;
            }
        }
        None => {
            // Some of a machine's certificates are often broken; the others do.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if roots.is_empty() {
        let none = "there is no certificate to believe: give some to `Builder::roots`";
        return Err(BuildError::Tls(none.to_owned()));
    }
    Ok(roots)
}
