//! One listener that speaks TLS.

use std::{future::Future, io, net::SocketAddr, path::Path, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use rustls::{
    ClientConfig, Error, InconsistentKeys, ServerConfig,
    crypto::aws_lc_rs::Ticketer,
    pki_types::{CertificateDer, ServerName},
    server::{VerifierBuilderError, WebPkiClientVerifier},
    sign::{CertifiedKey, SingleCertAndKey},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{sleep, timeout},
};
use tokio_rustls::{TlsAcceptor, TlsConnector, client, server};
use tollgate_core::{Clock as _, SystemClock};

use super::{
    About, TlsError,
    error::{Failure, Flaw, Role},
    material::{Material, Shown, certificates, key, provider, read, roots},
};
use crate::{
    stop::Stop,
    telemetry::{Complaints, Protocol, Recorder},
};

/// What the handshakes of a listener are made with. Each takes the newest; connections go on with what
/// theirs was made with.
#[derive(Debug)]
pub(crate) struct TlsListener {
    pub(super) protocol: Protocol,
    pub(super) config: ArcSwap<ServerConfig>,
    /// From the connection to the end of the handshake.
    pub(super) patience: Duration,
    pub(super) recorder: Arc<Recorder>,
    pub(super) complaints: Complaints,
}

impl TlsListener {
    pub(crate) fn new(
        protocol: Protocol,
        material: &Material,
        patience: Duration,
        recorder: Arc<Recorder>,
    ) -> Result<Self, String> {
        recorder.certificate_expires(protocol, material.about.expires_s);
        Ok(Self {
            protocol,
            config: ArcSwap::from_pointee(config(protocol, material)?),
            patience,
            recorder,
            complaints: Complaints::default(),
        })
    }

    /// What handshakes would be made with.
    pub(super) fn prepare(&self, material: &Material) -> Result<ServerConfig, String> {
        config(self.protocol, material)
    }

    /// From the next handshake on, this.
    pub(super) fn renew(&self, config: ServerConfig, about: &About) {
        self.config.store(Arc::new(config));
        self.recorder.certificate_expires(self.protocol, about.expires_s);
    }
}

/// TLS 1.2 and 1.3. Tickets are sealed with a key of this config alone: whoever comes back after a change
/// of files is looked at anew.
fn config(protocol: Protocol, material: &Material) -> Result<ServerConfig, String> {
    let builder = ServerConfig::builder_with_provider(provider());
    let builder = builder.with_safe_default_protocol_versions();
    let builder = builder.map_err(|error: Error| error.to_string())?;
    let builder = match &material.client_ca {
        None => builder.with_no_client_auth(),
        Some(roots) => {
            let verifier =
                WebPkiClientVerifier::builder_with_provider(Arc::clone(roots), provider());
            let verifier = verifier.build();
            let verifier = verifier.map_err(|error: VerifierBuilderError| error.to_string())?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let certified = CertifiedKey::clone(&material.certified);
    let mut config = builder.with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
    config.alpn_protocols = match protocol {
        Protocol::Grpc => vec![b"h2".to_vec()],
        Protocol::Http | Protocol::Admin => vec![b"http/1.1".to_vec()],
        Protocol::Resp => Vec::new(),
    };
    config.ticketer = Ticketer::new().map_err(|error| error.to_string())?;
    Ok(config)
}

/// A stream, and whom it is with if that was asked.
pub(crate) type Greeted = (Box<server::TlsStream<TcpStream>>, Option<Arc<str>>);

/// The first byte of every handshake.
pub(crate) const HANDSHAKE: u8 = 0x16;
/// What a handshake that is under way has left once the word to stop is given.
const STAY: Duration = Duration::from_secs(1);
/// How long whoever is turned away has to read why.
const LINGER: Duration = Duration::from_secs(1);

/// How a handshake ended that came to nothing.
enum Ended {
    /// Somebody looked whether the port is open.
    Unsaid,
    Failed {
        failure: Failure,
        detail: String,
        /// Where an alert may be on its way.
        socket: Option<TcpStream>,
    },
}

impl TlsListener {
    /// Shakes hands, within a deadline. A handshake that comes to nothing is counted and told.
    pub(crate) async fn greet(
        &self,
        socket: TcpStream,
        address: SocketAddr,
        stop: &mut Stop,
    ) -> Option<Greeted> {
        let shaken = tokio::select! {
            shaken = timeout(self.patience, self.shake(socket)) => shaken,
            () = soon_after(stop.heard()) => return None,
        };
        let late = || {
            let detail = format!("it had {:?}", self.patience);
            Ended::failed(Failure::Timeout, detail)
        };
        match shaken.unwrap_or_else(|_| Err(late())) {
            Ok(greeted) => Some(greeted),
            Err(Ended::Unsaid) => None,
            Err(Ended::Failed { failure, detail, socket }) => {
                self.tell(failure, &detail, address);
                if let Some(socket) = socket {
                    part(socket).await;
                }
                None
            }
        }
    }

    async fn shake(&self, socket: TcpStream) -> Result<Greeted, Ended> {
        let mut first = [0];
        match socket.peek(&mut first).await {
            Ok(0) | Err(_) => return Err(Ended::Unsaid),
            Ok(_) if first != [HANDSHAKE] => {
                let detail = format!("its first byte is {first:02x?}");
                return Err(Ended::failed(Failure::Plaintext, detail));
            }
            Ok(_) => {}
        }
        let accepted = TlsAcceptor::from(self.config.load_full()).accept(socket);
        let stream = accepted.into_fallible().await;
        let stream = stream.map_err(|(error, socket)| Ended::Failed {
            failure: Failure::of(&error),
            detail: error.to_string(),
            socket: Some(socket),
        })?;
        let shown = stream.get_ref().1.peer_certificates();
        let name = shown.and_then(<[_]>::first).map(named).transpose()?;
        Ok((Box::new(stream), name))
    }

    fn tell(&self, failure: Failure, detail: &str, peer: SocketAddr) {
        self.recorder.handshake_failed(self.protocol, failure);
        if let Some(left_out) = self.complaints.may_tell() {
            let (listener, reason) = (self.protocol.name(), failure.word());
            let words = failure.words();
            tracing::warn!(listener, %peer, reason, left_out, "{words} ({detail})");
        }
    }
}

impl Ended {
    const fn failed(failure: Failure, detail: String) -> Self {
        Self::Failed { failure, detail, socket: None }
    }
}

/// Who showed it. A session that was resumed was looked at when it began, so whether the certificate
/// still holds is asked again.
fn named(certificate: &CertificateDer<'_>) -> Result<Arc<str>, Ended> {
    let shown = Shown::of(certificate);
    let shown = shown.map_err(|why| Ended::failed(Failure::Other, why))?;
    let now_s = SystemClock.now().wall.as_micros() / 1_000_000;
    if shown.expires_s < now_s {
        let detail = format!("the certificate of {} has run out", shown.name);
        return Err(Ended::failed(Failure::Expired, detail));
    }
    Ok(shown.name.into())
}

/// Done a little after `word`.
async fn soon_after(word: impl Future<Output = ()>) {
    word.await;
    sleep(STAY).await;
}

/// Closes so that the alert arrives: a socket that is closed with something unread takes back what it
/// sent.
async fn part(mut socket: TcpStream) {
    let goodbye = async {
        socket.shutdown().await?;
        let mut unread = [0; 1024];
        while socket.read(&mut unread).await? > 0 {}
        io::Result::Ok(())
    };
    drop(timeout(LINGER, goodbye).await);
}

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
        let failed = |role, path: &Path, flaw| TlsError { role, path: path.to_owned(), flaw };
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
    ) -> io::Result<client::TlsStream<TcpStream>> {
        let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
        let host = host.trim_matches(['[', ']']).to_owned();
        let name = ServerName::try_from(host).map_err(io::Error::other)?;
        let connector = TlsConnector::from(Arc::clone(&self.0));
        connector.connect(name, socket).await
    }
}
