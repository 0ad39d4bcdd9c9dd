//! What is asked of everybody alike, what everybody is called, and how everybody did.

pub(crate) const CL_THROTTLE: &str = "Tollgate CL.THROTTLE";
pub(crate) const TG_CHECK: &str = "Tollgate TG.CHECK, 200 rules";
pub(crate) const CHECK: &str = "Tollgate /ratelimit/check, 200 rules";
pub(crate) const BATCH: &str = "Tollgate /ratelimit/check/batch, 200 rules";
pub(crate) const CEILING: &str = "ceiling: fixed reply, tokio";
pub(crate) const CEILING_CHECK: &str = "ceiling: fixed reply of TG.CHECK's size";
pub(crate) const INCR: &str = "redis-server INCR";
pub(crate) const LUA: &str = "redis-server, token bucket in Lua";
pub(crate) const CRAB: &str = "throttlecrab-server as shipped";
pub(crate) const CRAB_NODELAY: &str = "throttlecrab-server with NODELAY";
pub(crate) const AXUM: &str = "axum, fixed reply";
pub(crate) const LIMITADOR: &str = "limitador's library behind axum";
pub(crate) const RLS: &str = "Tollgate ShouldRateLimit, 200 rules";
pub(crate) const TONIC: &str = "tonic, fixed reply";
pub(crate) const CRAB_GRPC: &str = "throttlecrab-server over gRPC";
pub(crate) const LIMITADOR_GRPC: &str = "limitador's library behind tonic";
pub(crate) const TG_CHECK_TLS: &str = "Tollgate TG.CHECK over TLS";
pub(crate) const CHECK_TLS: &str = "Tollgate /ratelimit/check over TLS";

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
        Self { connections, streams }
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
            Self::Grpc(Streams { connections: 1, streams }) => {
                format!("gRPC, one connection × {streams} streams")
            }
            Self::Grpc(Streams { connections, streams: 1 }) => {
                format!("gRPC, {connections} connections")
            }
            Self::Grpc(Streams { connections, streams }) => {
                format!("gRPC, {connections} × {streams} streams")
            }
        }
    }
}

/// How everybody did at one shape.
#[derive(Debug)]
pub(crate) struct Contest {
    pub(crate) shape: Shape,
    pub(crate) measured: Vec<Measured>,
}

impl Contest {
    pub(crate) fn of(&self, who: &str) -> Option<&Measured> {
        self.measured.iter().find(|measured| measured.who == who)
    }
}

/// How one server did.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) who: String,
    /// Decisions a second, the median of the rounds.
    pub(crate) rate: f64,
    /// Of a round trip, in microseconds, over all rounds.
    pub(crate) p50_us: u64,
    pub(crate) p99_us: u64,
    pub(crate) p999_us: u64,
    /// The server's processor time for a decision.
    pub(crate) cpu_us: f64,
    pub(crate) resident_mb: f64,
}
