//! Asking a server over TLS.

use std::{io, path::Path, sync::Arc};

use rustls::{ClientConfig, Error, InconsistentKeys, pki_types::ServerName};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::{
    TlsError,
    error::{Flaw, Role},
    material::{certificates, key, read, roots},
    provider::provider,
};

/// Whom a client believes, and what it shows.
#[derive(Clone, Debug)]
pub struct Trust(Arc<ClientConfig>);

impl Trust {
    /// Believes servers that are signed by those in a file, and shows them a certificate with its key if
    /// there are two more.
    ///
    /// # Errors
    ///
    /// What is wrong with a file.
    pub fn new(ca: &Path, identity: Option<(&Path, &Path)>) -> Result<Self, TlsError> {
        let failed = |role, path: &Path, flaw| TlsError {
            role,
            path: path.to_owned(),
            flaw,
        };
        let roots = roots(Role::ServerCa, ca, &read(Role::ServerCa, ca)?)?;
        let refused = |error: Error| failed(Role::ServerCa, ca, Flaw::Refused(error.to_string()));
        let builder = ClientConfig::builder_with_provider(provider());
        let builder = builder.with_safe_default_protocol_versions();
        let builder = builder.map_err(refused)?.with_root_certificates(roots);
        let config = match identity {
            None => builder.with_no_client_auth(),
            Some((own, secret)) => {
                let chain = certificates(&read(Role::OwnCertificate, own)?);
                let chain = chain.map_err(|flaw| failed(Role::OwnCertificate, own, flaw))?;
                let key = key(&read(Role::OwnKey, secret)?);
                let key = key.map_err(|flaw| failed(Role::OwnKey, secret, flaw))?;
                let built = builder.with_client_auth_cert(chain, key);
                built.map_err(|error| match error {
                    Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                        failed(Role::OwnKey, secret, Flaw::OtherKey(own.to_owned()))
                    }
                    error => failed(Role::OwnKey, secret, Flaw::BadKey(error.to_string())),
                })?
            }
        };
        Ok(Self(Arc::new(config)))
    }

    /// Shakes hands with whoever answers at `host:port`.
    pub(crate) async fn seal(
        &self,
        authority: &str,
        socket: TcpStream,
    ) -> io::Result<TlsStream<TcpStream>> {
        let host = authority
            .rsplit_once(':')
            .map_or(authority, |(host, _)| host);
        let host = host.trim_matches(['[', ']']).to_owned();
        let name = ServerName::try_from(host).map_err(io::Error::other)?;
        let connector = TlsConnector::from(Arc::clone(&self.0));
        connector.connect(name, socket).await
    }
}
