//! One listener that speaks TLS.

use std::{sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use rustls::{
    Error, ServerConfig,
    crypto::aws_lc_rs::Ticketer,
    server::{VerifierBuilderError, WebPkiClientVerifier},
    sign::{CertifiedKey, SingleCertAndKey},
};

use super::{About, material::Material, provider::provider};
use crate::telemetry::Complaints;
use crate::telemetry::{Protocol, Recorder};

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
        self.recorder
            .certificate_expires(self.protocol, about.expires_s);
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
