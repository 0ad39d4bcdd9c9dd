//! One connection to the admin side.

use std::pin::pin;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};

use super::{
    certified::{Certified, From},
    router::router,
    state::AdminState,
};
use crate::{
    config::Timers,
    listen::{Peer, Serve, Stream, Taken},
    server::Parts,
    stop::Stop,
    telemetry::Protocol,
};

/// The most header fields of a request.
const HEADERS_MAX: usize = 100;
/// The most bytes of a request's head.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// Serves connections to the admin side.
#[derive(Debug)]
pub(crate) struct AdminServe {
    router: Router,
    timers: Timers,
}

impl AdminServe {
    /// Over the parts of a server.
    pub(crate) fn new(parts: &Parts) -> Self {
        Self { router: router(AdminState::new(parts)), timers: parts.settings.timers }
    }
}

impl Serve for AdminServe {
    const PROTOCOL: Protocol = Protocol::Admin;
    const FULL: &'static [u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n\
        Connection: close\r\nContent-Length: 0\r\n\r\n";

    async fn serve(&self, stream: Stream, peer: Peer, stop: Stop) {
        let router = self.router.clone();
        let router = router.layer(Extension(From(peer.address.ip())));
        let router = match peer.name {
            None => router,
            Some(name) => router.layer(Extension(Certified(name))),
        };
        serve_connection(stream, router, &self.timers, stop).await;
    }
}

/// Answers requests until the client leaves, keeps us waiting, or the word to stop comes; then the answer
/// that is being made is the last.
pub(super) async fn serve_connection(
    stream: Stream,
    router: Router,
    timers: &Timers,
    mut stop: Stop,
) {
    let service = TowerToHyperService::new(router);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(timers.request)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(Taken::new(stream, timers.write)), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.heard() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "An admin connection ended early.");
    }
}
