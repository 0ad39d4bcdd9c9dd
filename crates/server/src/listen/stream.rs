//! A connection's bytes, whatever carries them.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncBufRead as _, AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tokio_rustls::server::TlsStream;

use super::plain::Plain;
use crate::authority::Door;

/// What a session reads from and writes to.
#[derive(Debug)]
pub(crate) enum Stream {
    /// As they come.
    Plain(Plain),
    /// Sealed, after a handshake.
    Tls(Box<TlsStream<TcpStream>>),
}

/// Who is on the other side.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    /// Where it calls from.
    pub(crate) address: SocketAddr,
    /// What its certificate calls it, if it showed one that we asked for.
    pub(crate) name: Option<Arc<str>>,
    /// How it is known where it calls from.
    pub(crate) way: Way,
}

/// How it is known where somebody calls from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Its connection came from there.
    Direct,
    /// A proxy that we believe says so.
    Proxied,
}

impl Peer {
    /// Somebody whose connection came from this address.
    #[cfg(test)]
    pub(crate) const fn direct(address: SocketAddr) -> Self {
        Self { address, name: None, way: Way::Direct }
    }

    /// Whether nobody stands between us. Whoever calls through a proxy is not on this machine, whatever
    /// its address.
    pub(crate) const fn is_direct(&self) -> bool {
        matches!(self.way, Way::Direct)
    }

    /// By which door it came, of a listener with this one.
    pub(crate) const fn door(&self, door: Door) -> Door {
        match self.way {
            Way::Direct => door,
            Way::Proxied => Door::Open,
        }
    }
}

impl Stream {
    /// Ready once a read would not wait, so that a buffer need not be kept until then.
    pub(super) fn poll_read_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Plain(Plain { socket, .. }) => socket.poll_read_ready(context),
            // What was opened already is not in the socket any more, and what is in the socket may open
            // to nothing: only the session knows. It keeps what it opens until it is read.
            Self::Tls(stream) => Pin::new(stream).poll_fill_buf(context).map_ok(drop),
        }
    }

    /// Writes what can be written without waiting. What is sealed has to be flushed as well, so of that
    /// nothing is written here.
    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(Plain { socket, .. }) => socket.try_write(bytes),
            Self::Tls(_) => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

/// In clear.
impl From<TcpStream> for Stream {
    fn from(socket: TcpStream) -> Self {
        Self::Plain(socket.into())
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(plain) => plain.poll_read(context, into),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, into),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(Plain { socket, .. }) => Pin::new(socket).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(Plain { socket, .. }) => Pin::new(socket).poll_flush(context),
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(Plain { socket, .. }) => Pin::new(socket).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
