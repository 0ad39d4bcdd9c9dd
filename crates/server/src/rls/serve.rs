//! Connections over gRPC.

use std::{
    future::Future as _,
    io,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{MissedTickBehavior, Sleep, interval, sleep},
};

use super::{health::NodeHealth, routes::Services, service::Rls};
use crate::{
    config::Timers,
    listen::{InputBudget, InputClaim, NoRoom, Peer, Serve, Stream, Taken},
    server::Parts,
    stop::Stop,
    telemetry::Protocol,
};

/// Serves connections over gRPC.
pub(crate) struct RlsServe {
    pub(super) services: Services,
    pub(super) timers: Timers,
    pub(super) budget: Arc<InputBudget>,
}

/// The requests of one connection that may be under way at once.
const STREAMS_MAX: u32 = 512;
/// The bytes of a request's head. Envoy may hand on what its own client sent, and that can be 60 KiB; were it
/// refused, Envoy would let the client pass.
const HEAD_BYTES_MAX: u32 = 128 * 1024;
/// What all requests of a connection may send before they are read.
const WINDOW_BYTES: u32 = 1 << 20;

impl RlsServe {
    pub(crate) fn new(parts: &Parts, stop: &Stop) -> Self {
        let health = parts.health.clone();
        let rls = Rls {
            engine: Arc::clone(&parts.engine),
            authority: Arc::clone(&parts.authority),
            identifier: Arc::clone(&parts.identifier),
            fields: parts.settings.envoy_fields,
        };
        let health = NodeHealth::new(Arc::new(move || health.condition()), stop.clone());
        let timers = parts.settings.timers;
        Self {
            services: Services::new(Arc::new(rls), health, timers.request, stop.clone()),
            timers,
            budget: InputBudget::new(
                Protocol::Grpc,
                timers.unfinished_bytes_max,
                parts.engine.recorder(),
            ),
        }
    }
}

impl Serve for RlsServe {
    const PROTOCOL: Protocol = Protocol::Grpc;
    /// HTTP/2 has no words before its settings; being closed says it.
    const FULL: &'static [u8] = b"";

    async fn serve(&self, stream: Stream, peer: Peer, mut stop: Stop) {
        let taking: Arc<Taking> = Arc::default();
        let connection = Connection {
            taking: Arc::clone(&taking),
            input: ConnectionInput::new(self.budget.claim(peer.address.ip())),
        };
        let routes = self.services.of(&peer, connection);
        let stream = Prompt::new(Taken::new(stream, self.timers.write), self.timers.request);
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS_MAX)
            // Envoy gives up each call that is late; after a pause of ours those may be all at once.
            .max_pending_accept_reset_streams(STREAMS_MAX as usize)
            .max_header_list_size(HEAD_BYTES_MAX)
            .initial_connection_window_size(WINDOW_BYTES)
            // Whoever does not answer a ping is gone, or sends a byte at a time.
            .keep_alive_interval(self.timers.request)
            .keep_alive_timeout(self.timers.write)
            .serve_connection(TokioIo::new(stream), routes);
        let mut connection = pin!(connection);
        let served = async {
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = stop.heard() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "A gRPC connection ended early.");
            }
        };
        tokio::select! {
            () = served => {}
            // With a window of nothing an answer waits although the socket takes bytes.
            () = taking.stuck(self.timers.write) => {
                tracing::debug!("A gRPC client took no answer for too long.");
            }
        }
    }
}

/// One connection: whether its answers are taken, and what its calls hold before they have arrived whole.
pub(super) struct Connection {
    pub(super) taking: Arc<Taking>,
    pub(super) input: ConnectionInput,
}

/// What the calls of one connection hold together before they have arrived whole.
#[derive(Clone)]
pub(super) struct ConnectionInput(Arc<Mutex<Held>>);

struct Held {
    bytes: usize,
    claim: InputClaim,
}

/// What one call holds; given back when this is dropped.
pub(super) struct CallInput {
    connection: ConnectionInput,
    head_bytes: usize,
    bytes: usize,
}

impl ConnectionInput {
    pub(super) fn new(claim: InputClaim) -> Self {
        Self(Arc::new(Mutex::new(Held { bytes: 0, claim })))
    }

    /// A call with a head of this length, of which nothing is claimed yet.
    pub(super) fn begin(&self, head_bytes: usize) -> CallInput {
        CallInput { connection: self.clone(), head_bytes, bytes: 0 }
    }

    fn change(&self, before: usize, after: usize) -> Result<(), NoRoom> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = held.bytes.saturating_sub(before).saturating_add(after);
        held.claim.resize(bytes)?;
        held.bytes = bytes;
        Ok(())
    }
}

impl CallInput {
    /// Holds so many bytes of a message, besides its head.
    pub(super) fn grow(&mut self, message_bytes: usize) -> Result<(), NoRoom> {
        let bytes = self.head_bytes.saturating_add(message_bytes);
        self.connection.change(self.bytes, bytes)?;
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for CallInput {
    fn drop(&mut self) {
        // Less always has room.
        drop(self.connection.change(self.bytes, 0));
    }
}

/// The answers of one connection.
#[derive(Debug, Default)]
pub(super) struct Taking {
    waiting: AtomicUsize,
    taken: AtomicUsize,
}

/// An answer until it is taken, or given up.
#[derive(Debug)]
pub(super) struct Untaken(Arc<Taking>);

impl Taking {
    pub(super) fn begin(self: &Arc<Self>) -> Untaken {
        self.waiting.fetch_add(1, Relaxed);
        Untaken(Arc::clone(self))
    }

    /// Returns once answers waited for so long, and none was taken.
    pub(super) async fn stuck(&self, wait: Duration) {
        let mut every = interval(wait);
        // Two ticks right after each other, after a stall, would leave a client no time between them.
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut before = None;
        loop {
            every.tick().await;
            let (waiting, taken) = (self.waiting.load(Relaxed), self.taken.load(Relaxed));
            if waiting > 0 && before == Some(taken) {
                return;
            }
            before = (waiting > 0).then_some(taken);
        }
    }
}

impl Drop for Untaken {
    fn drop(&mut self) {
        self.0.taken.fetch_add(1, Relaxed);
        self.0.waiting.fetch_sub(1, Relaxed);
    }
}

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
        Self { stream, awaited: Some((PREFACE_BYTES, Box::pin(sleep(wait)))) }
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
