//! A connection in clear, with an ear for somebody who expects TLS.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead as _, ReadBuf},
    net::TcpStream,
};

use crate::{
    telemetry::{Complaints, Protocol},
    tls::HANDSHAKE,
};

/// A socket that notices a client which speaks TLS where that is not spoken.
#[derive(Debug)]
pub(crate) struct Plain {
    pub(super) socket: TcpStream,
    /// Until the first byte.
    ear: Option<Ear>,
}

/// What to tell, and how often.
#[derive(Debug)]
struct Ear {
    listener: Protocol,
    peer: SocketAddr,
    complaints: Arc<Complaints>,
}

impl Plain {
    pub(super) const fn new(
        socket: TcpStream,
        peer: SocketAddr,
        listener: Protocol,
        complaints: Arc<Complaints>,
    ) -> Self {
        let ear = Ear { listener, peer, complaints };
        Self { socket, ear: Some(ear) }
    }

    /// As the socket reads; the first byte is looked at in passing.
    pub(super) fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Some(ear) = &self.ear else {
            return Pin::new(&mut self.socket).poll_read(context, into);
        };
        let before = into.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(context, into))?;
        if into.filled().get(before) == Some(&HANDSHAKE) {
            ear.tell();
        }
        self.ear = None;
        Poll::Ready(Ok(()))
    }
}

/// One that nobody listens to.
impl From<TcpStream> for Plain {
    fn from(socket: TcpStream) -> Self {
        Self { socket, ear: None }
    }
}

impl Ear {
    fn tell(&self) {
        let Some(left_out) = self.complaints.may_tell() else {
            return;
        };
        let (listener, peer) = (self.listener.name(), self.peer);
        tracing::warn!(
            listener,
            %peer,
            left_out,
            "A client speaks TLS to a port that speaks in clear: let it connect without, or give this \
             listener a certificate (--tls-cert)."
        );
    }
}
