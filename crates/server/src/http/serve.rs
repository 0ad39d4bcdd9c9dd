//! One connection.

use std::net::SocketAddr;

use tokio::net::TcpStream;

use crate::{listen::Serve, server::Parts, stop::Stop, telemetry::Protocol};

/// Serves connections.
#[derive(Debug)]
pub(crate) struct HttpServe {
    parts: Parts,
}

impl HttpServe {
    pub(crate) fn new(parts: &Parts) -> Self {
        Self {
            parts: parts.clone(),
        }
    }
}

impl Serve for HttpServe {
    const PROTOCOL: Protocol = Protocol::Http;
    const FULL: &'static [u8] = b"";

    async fn serve(&self, _stream: TcpStream, _peer: SocketAddr, _stop: Stop) {}
}
