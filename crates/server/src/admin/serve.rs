//! One connection to the admin side.

use std::{pin::pin, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::net::TcpStream;

/// From the first byte of a request, or from the end of the one before, to the end of its head.
const HEAD_TIME_MAX: Duration = Duration::from_secs(30);
/// The most header fields of a request.
const HEADERS_MAX: usize = 100;
/// The most bytes of a request's head.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// Answers requests until the client leaves, keeps us waiting, or `shutdown`; then the answer that is
/// being made is the last.
pub(crate) async fn serve_connection(
    stream: TcpStream,
    router: Router,
    shutdown: impl Future<Output = ()> + Send,
) {
    let service = TowerToHyperService::new(router);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME_MAX)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service);
    let (mut connection, shutdown) = (pin!(connection), pin!(shutdown));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "an admin connection ended early");
    }
}
