//! What is asked of everybody alike.

/// A protocol, and how much is under way at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Fifty connections, so many commands under way on each.
    Resp(usize),
    /// Fifty connections, so many requests under way on each.
    Http(usize),
    HttpBatch,
    Grpc(Streams),
    /// Fifty connections, some of them over TLS.
    Sealed,
}

/// Connections, and the streams that each of them has open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Streams {
    pub(crate) connections: usize,
    pub(crate) streams: usize,
}

impl Streams {
    /// An Envoy with one worker that has much to ask, four workers, and fifty who ask one thing at a time.
    pub(crate) const ALL: [Self; 3] = [Self::new(1, 100), Self::new(4, 32), Self::new(50, 1)];

    const fn new(connections: usize, streams: usize) -> Self {
        Self {
            connections,
            streams,
        }
    }
}

impl Shape {
    pub(crate) fn name(self) -> String {
        match self {
            Self::Resp(1) => "RESP, 50 connections".to_owned(),
            Self::Resp(depth) => format!("RESP, 50 × pipeline {depth}"),
            Self::Http(1) => "HTTP, 50 connections".to_owned(),
            Self::Http(depth) => format!("HTTP, 50 × pipeline {depth}"),
            Self::Sealed => "in clear and over TLS, 50 connections".to_owned(),
            Self::HttpBatch => "HTTP, batches of 100, 50 connections".to_owned(),
            Self::Grpc(Streams {
                connections: 1,
                streams,
            }) => format!("gRPC, one connection × {streams} streams"),
            Self::Grpc(Streams {
                connections,
                streams: 1,
            }) => format!("gRPC, {connections} connections"),
            Self::Grpc(Streams {
                connections,
                streams,
            }) => format!("gRPC, {connections} × {streams} streams"),
        }
    }
}
