//! Connections over gRPC.

use std::{pin::pin, sync::Arc};

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};

use super::{
    connection::{Connection, ConnectionInput},
    health::NodeHealth,
    prompt::Prompt,
    routes::Services,
    service::Rls,
    taking::Taking,
};
use crate::{
    config::Timers,
    listen::{InputBudget, Peer, Serve, Stream, Taken},
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
