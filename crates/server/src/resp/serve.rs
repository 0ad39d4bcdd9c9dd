//! One connection.

use std::net::SocketAddr;

use tokio::net::TcpStream;

use crate::{listen::Serve, server::Parts, stop::Stop, telemetry::Protocol};

/// Serves connections.
#[derive(Debug)]
pub(crate) struct RespServe {
    parts: Parts,
}

impl RespServe {
    pub(crate) fn new(parts: &Parts) -> Self {
        Self {
            parts: parts.clone(),
        }
    }
}

impl Serve for RespServe {
    const PROTOCOL: Protocol = Protocol::Resp;
    const FULL: &'static [u8] = b"";

    async fn serve(&self, _stream: TcpStream, _peer: SocketAddr, _stop: Stop) {}
}
