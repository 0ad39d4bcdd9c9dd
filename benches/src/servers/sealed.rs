//! What TLS costs: the same server twice, in clear and over TLS.

use std::{path::Path, sync::Arc};

use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream, rustls::pki_types::ServerName};
use tollgate_testkit::{
    certificates::{A_YEAR, Authority},
    tls::Client,
};

use super::{
    contest::Stage,
    script::Script,
    shape::{CHECK, CHECK_TLS, TG_CHECK, TG_CHECK_TLS},
    shape::{Contest, Shape},
    tollgate::Ours,
};
use crate::depth::Depth;

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

pub(super) fn run(depth: Depth, ours: &Ours) -> anyhow::Result<Contest> {
    let folder = tempfile::tempdir()?;
    let seal = Seal::of(folder.path());
    let flags = ["--tls-cert", "server.pem", "--tls-key", "server.key"];
    let Ours { process, http, resp, folder: _folder, .. } = Ours::start_in(folder, &flags)?;
    let mut stage = Stage::default();
    stage.adopt(process);
    stage.enter(TG_CHECK, ours.resp, Script::tg_check(), usize::MAX);
    stage.enter_sealed(TG_CHECK_TLS, resp, Script::tg_check(), &seal);
    stage.enter(CHECK, ours.http, Script::check(), usize::MAX);
    stage.enter_sealed(CHECK_TLS, http, Script::check(), &seal);
    stage.play(Shape::Sealed, depth, ours)
}
