//! What a server is started with, checked.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use tollgate_catalog::{DatabaseUrl, NodeId};

use super::{AdminRules, Collector, Identity, Redis, Tls};
use crate::{
    authority::Token,
    counting::Counting,
    gateway::{ProxyHeader, TrustedProxies},
};

/// Everything a server needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens.
    pub listen: Listeners,
    /// The folder of the SQLite file, the last good snapshot and the counters.
    pub data: PathBuf,
    /// Where rules and overrides live.
    pub database: DatabaseUrl,
    /// Where counters are shared, if they are.
    pub redis: Option<Redis>,
    /// Who may write rules.
    pub owner: Owner,
    /// The region's name.
    pub region: String,
    /// The node's name.
    pub node: NodeId,
    /// What an empty catalog runs.
    pub demo: Demo,
    /// What opens the admin side beyond this machine.
    pub token: Option<Token>,
    /// What people may do on the admin side, as far as it can be set.
    pub admin_rules: AdminRules,
    /// Which listeners speak TLS, and with which files.
    pub tls: Tls,
    /// Who is believed when it says whom it asks for.
    pub trusted_proxies: TrustedProxies,
    /// In which header they say so.
    pub client_address: ProxyHeader,
    /// How it is found out who asks.
    pub identity: Identity,
    /// How many keys there is room for.
    pub keys_max: usize,
    /// How many bytes may be taken to count those that find none.
    pub overflow_bytes: usize,
    /// How answers are worded.
    pub wording: Wording,
    /// Which header fields Envoy is told to add, besides `Retry-After`.
    pub envoy_fields: Option<Fields>,
    /// Whether waits grow for whoever keeps asking after a denial.
    pub penalty: Penalising,
    /// How long somebody may keep us waiting, and how many.
    pub timers: Timers,
    /// What is logged, and how.
    pub logs: Logs,
    /// Where metrics are pushed to, if anywhere.
    pub otlp: Option<Collector>,
}

impl Settings {
    /// Where counters will be.
    pub(crate) const fn counting(&self) -> Counting {
        match &self.redis {
            None => Counting::Alone,
            Some(redis) => Counting::Shared(redis.leases),
        }
    }
}

/// The addresses of the listeners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listeners {
    /// Decisions over HTTP.
    pub http: SocketAddr,
    /// Decisions over gRPC, as Envoy asks.
    pub grpc: SocketAddr,
    /// Decisions over the Redis protocol.
    pub resp: SocketAddr,
    /// Everything else.
    pub admin: SocketAddr,
}

impl Listeners {
    /// Whether only this machine can reach any of them.
    pub fn are_loopback(&self) -> bool {
        let all = [self.http, self.grpc, self.resp, self.admin];
        all.iter().all(|address| address.ip().is_loopback())
    }
}

/// Whether waits grow for whoever keeps asking after a denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Penalising {
    /// They do not.
    Off,
    /// They do, and all waits have some jitter.
    On,
}

/// Who writes the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The admin API and `tollgate rules apply`.
    Catalog,
    /// A file, and nobody else.
    File(PathBuf),
}

/// What an empty catalog runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demo {
    /// A few rules to try, where nobody else can reach them.
    Offered,
    /// Nothing.
    Off,
}

/// How answers over HTTP are worded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wording {
    /// Which header fields carry the numbers.
    pub fields: Fields,
    /// What `X-RateLimit-Reset` means.
    pub reset: ResetAs,
}

/// Which header fields carry the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fields {
    /// `X-RateLimit-*`.
    Vendor,
    /// `RateLimit` and `RateLimit-Policy` of the IETF's draft.
    Draft,
    /// Both.
    Both,
}

/// What `X-RateLimit-Reset` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetAs {
    /// A moment, in seconds since 1970.
    Epoch,
    /// Seconds from now.
    Seconds,
}

/// How long somebody may keep a listener waiting, and how many may do so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timers {
    /// Connections of one listener.
    pub connections_max: usize,
    /// The bytes of a request's body.
    pub body_bytes_max: usize,
    /// The bytes that all requests of one listener hold before they have arrived whole.
    pub unfinished_bytes_max: usize,
    /// From the first byte of a request, or from the connection, to its last.
    pub request: Duration,
    /// Between two requests over HTTP.
    pub idle: Duration,
    /// Between two commands over RESP, whose clients keep connections for later.
    pub resp_idle: Duration,
    /// For a client to take an answer.
    pub write: Duration,
    /// From the signal to stop to the end.
    pub drain: Duration,
}

impl Default for Timers {
    fn default() -> Self {
        Self {
            connections_max: 10_000,
            body_bytes_max: 1 << 20,
            unfinished_bytes_max: 1 << 26,
            request: Duration::from_secs(10),
            idle: Duration::from_secs(75),
            resp_idle: Duration::from_secs(300),
            write: Duration::from_secs(10),
            drain: Duration::from_secs(10),
        }
    }
}

/// What is logged, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logs {
    /// A directive of levels, `info` for example.
    pub level: String,
    /// For people or for programs.
    pub format: LogFormat,
}

/// Who reads the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// People.
    Text,
    /// Programs: one JSON object a line.
    Json,
}
