//! A connection's bytes, whatever carries them.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

/// What a session reads from and writes to.
#[derive(Debug)]
pub(crate) enum Stream {
    /// As they come.
    Plain(TcpStream),
}

/// Who is on the other side.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    /// Where it calls from.
    pub(crate) address: SocketAddr,
    /// What its certificate calls it, if it showed one that we asked for.
    pub(crate) name: Option<Arc<str>>,
}

impl Stream {
    /// Ready once a read would not wait, so that a buffer need not be kept until then.
    pub(super) fn poll_read_ready(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Plain(stream) => stream.poll_read_ready(context),
        }
    }

    /// Writes what can be written without waiting.
    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.try_write(bytes),
        }
    }

    fn plain(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream),
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.plain().poll_read(context, into)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.plain().poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.plain().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.plain().poll_shutdown(context)
    }
}
