//! A stream whose other side must take what it is sent.

use std::{
    future::Future as _,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

/// Fails once nothing was taken for too long: a client that does not read shall not keep an answer in
/// our memory.
#[derive(Debug)]
pub(crate) struct Taken<S> {
    stream: S,
    wait: Duration,
    /// Runs while the other side takes nothing.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> Taken<S> {
    pub(crate) const fn new(stream: S, wait: Duration) -> Self {
        let timer = None;
        Self { stream, wait, timer }
    }

    /// What came of writing, unless it takes too long.
    fn within<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.timer = None;
            return written;
        }
        let wait = self.wait;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(wait)));
        ready!(timer.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Taken<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Taken<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.within(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(context);
        self.within(context, closed)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn whoever_reads_nothing_is_given_up() {
        let (ours, mut theirs) = duplex(8);
        let mut ours = Taken::new(ours, Duration::from_millis(20));
        ours.write_all(b"answer").await.unwrap();
        let mut read = [0; 6];
        theirs.read_exact(&mut read).await.unwrap();
        let stuck = ours.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(stuck.kind(), io::ErrorKind::TimedOut);
    }
}
