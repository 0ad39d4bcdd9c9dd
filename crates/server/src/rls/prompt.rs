//! A stream whose other side must say in time that it speaks HTTP/2.

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

/// Fails if the first words do not come in time: only after them can a client be pinged.
#[derive(Debug)]
pub(super) struct Prompt<S> {
    stream: S,
    /// What is still to come of the first words, and until when.
    awaited: Option<(usize, Pin<Box<Sleep>>)>,
}

/// What every client says first.
const PREFACE_BYTES: usize = 24;

impl<S> Prompt<S> {
    pub(super) fn new(stream: S, wait: Duration) -> Self {
        Self {
            stream,
            awaited: Some((PREFACE_BYTES, Box::pin(sleep(wait)))),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Prompt<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, into);
        let Some((left, timer)) = &mut self.awaited else {
            return read;
        };
        if read.is_ready() {
            *left = left.saturating_sub(into.filled().len() - before);
            if *left == 0 {
                self.awaited = None;
            }
            return read;
        }
        ready!(timer.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Prompt<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const WAIT: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn whoever_dribbles_the_first_words_is_given_up() {
        let (ours, mut theirs) = duplex(64);
        let mut ours = Prompt::new(ours, WAIT);
        theirs.write_all(&[0; PREFACE_BYTES - 1]).await.unwrap();
        let mut read = [0; PREFACE_BYTES - 1];
        ours.read_exact(&mut read).await.unwrap();
        let late = ours.read(&mut read).await.unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_said_them_may_rest() {
        let (ours, mut theirs) = duplex(64);
        let mut ours = Prompt::new(ours, WAIT);
        theirs.write_all(&[0; PREFACE_BYTES]).await.unwrap();
        let mut read = [0; PREFACE_BYTES];
        ours.read_exact(&mut read).await.unwrap();
        let rested = tokio::time::timeout(10 * WAIT, ours.read(&mut read)).await;
        assert!(rested.is_err(), "still waiting");
    }
}
