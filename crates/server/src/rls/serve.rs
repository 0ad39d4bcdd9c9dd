//! Connections over gRPC.

use crate::{
    listen::{Peer, Serve, Stream},
    server::Parts,
    stop::Stop,
    telemetry::Protocol,
};

/// Serves connections over gRPC.
#[derive(Debug)]
pub(crate) struct RlsServe;

impl RlsServe {
    pub(crate) const fn new(_: &Parts) -> Self {
        Self
    }
}

impl Serve for RlsServe {
    const PROTOCOL: Protocol = Protocol::Grpc;
    /// HTTP/2 has no words before its settings; being closed says it.
    const FULL: &'static [u8] = b"";

    async fn serve(&self, stream: Stream, _: Peer, _: Stop) {
        drop(stream);
    }
}
