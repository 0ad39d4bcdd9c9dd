//! From a socket to a stream of ours: the handshake.

use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use rustls::pki_types::CertificateDer;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{sleep, timeout},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};
use tollgate_core::{Clock as _, SystemClock};

use super::{TlsListener, certificate::Shown, failure::Failure};
use crate::stop::Stop;

/// A stream, and whom it is with if that was asked.
pub(crate) type Greeted = (Box<TlsStream<TcpStream>>, Option<Arc<str>>);

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
            Err(Ended::Failed {
                failure,
                detail,
                socket,
            }) => {
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
        Self::Failed {
            failure,
            detail,
            socket: None,
        }
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
