//! Proxies that name their client before the first byte.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    io::AsyncReadExt as _,
    net::TcpStream,
    time::{sleep, timeout},
};
use tollgate_wire::proxy::{Header, HeaderFlaw, Opening, SIGNATURE};

use super::Way;
use crate::{
    TrustedProxies,
    telemetry::{Complaints, Protocol, Recorder, Turned},
};

/// Reads the header that every trusted proxy must send, and nobody else may.
#[derive(Debug)]
pub(crate) struct Herald {
    pub(crate) proxies: TrustedProxies,
    /// For a proxy to send its header.
    pub(crate) header: Duration,
    /// For anybody else to send anything.
    pub(crate) idle: Duration,
    pub(crate) protocol: Protocol,
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) complaints: Complaints,
}

/// Why a connection is closed before it is served.
enum Unheard {
    /// Nothing came in time.
    Slow,
    /// The connection broke off, which nobody need hear of.
    Gone,
    /// A proxy sent something else.
    Flaw(HeaderFlaw),
    /// Somebody who is no proxy of ours names a client.
    Pretender,
}

/// The start of a header may come in pieces, and peeking does not wait for the next.
const PIECE_WAIT: Duration = Duration::from_millis(10);
/// Each wait is twice as long as the one before, up to this: looking costs nothing worth sending a piece for.
const PIECE_WAIT_MAX: Duration = Duration::from_millis(640);

impl Herald {
    /// Who is on the other side, and how that is known; none if the connection is to be closed.
    pub(super) async fn hear(
        &self,
        stream: &mut TcpStream,
        peer: SocketAddr,
    ) -> Option<(SocketAddr, Way)> {
        let heard = if self.proxies.has(peer.ip()) {
            let read = timeout(self.header, named(stream)).await;
            read.unwrap_or(Err(Unheard::Slow)).map(|named| (named.unwrap_or(peer), Way::Proxied))
        } else {
            let looked = async {
                let first = timeout(self.idle, stream.readable()).await;
                first.map_err(|_| Unheard::Slow)?.map_err(gone)?;
                // Whoever has begun what may be a header has as long for the rest as a proxy.
                let looked = timeout(self.header, unnamed(stream)).await;
                looked.unwrap_or(Err(Unheard::Slow))
            };
            looked.await.map(|()| (peer, Way::Direct))
        };
        match heard {
            Ok(heard) => return Some(heard),
            Err(Unheard::Gone) => {}
            Err(Unheard::Slow) => self.recorder.turned_away(self.protocol, Turned::Slow),
            Err(Unheard::Flaw(flaw)) => self.complain(peer, &flaw.to_string()),
            Err(Unheard::Pretender) => self.complain(
                peer,
                "it sends a header of the PROXY protocol and is not one of trusted_proxies",
            ),
        }
        None
    }

    fn complain(&self, peer: SocketAddr, why: &str) {
        self.recorder.turned_away(self.protocol, Turned::Bad);
        if let Some(left_out) = self.complaints.may_tell() {
            let protocol = self.protocol.name();
            tracing::warn!(%peer, protocol, left_out, "A connection was closed: {why}.");
        }
    }
}

/// The client that a proxy names; none if it speaks for itself. Not a byte more than the header is read.
async fn named(stream: &mut TcpStream) -> Result<Option<SocketAddr>, Unheard> {
    let mut opening = [0; Opening::BYTES];
    stream.read_exact(&mut opening).await.map_err(gone)?;
    let opening = Opening::read(&opening).map_err(Unheard::Flaw)?;
    let mut rest = vec![0; opening.rest];
    stream.read_exact(&mut rest).await.map_err(gone)?;
    match opening.header(&rest).map_err(Unheard::Flaw)? {
        Header::Local => Ok(None),
        Header::For(client) => Ok(Some(client)),
    }
}

/// Looks, without taking anything, whether the first bytes are those of a header.
async fn unnamed(stream: &TcpStream) -> Result<(), Unheard> {
    let mut first = [0; SIGNATURE.len()];
    let mut wait = PIECE_WAIT;
    loop {
        let seen = stream.peek(&mut first).await.map_err(gone)?;
        let seen = first.get(..seen).unwrap_or_default();
        if seen == SIGNATURE {
            return Err(Unheard::Pretender);
        }
        if seen.is_empty() || !SIGNATURE.starts_with(seen) {
            return Ok(());
        }
        sleep(wait).await;
        wait = wait.saturating_mul(2).min(PIECE_WAIT_MAX);
    }
}

fn gone(_: io::Error) -> Unheard {
    Unheard::Gone
}
