//! How somebody asks, and what is turned away.

/// How somebody asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Protocol {
    /// HTTP/1.1.
    Http,
    /// gRPC, as Envoy asks.
    Grpc,
    /// The Redis protocol.
    Resp,
    /// The admin side.
    Admin,
}

impl Protocol {
    pub(super) const ALL: [Self; 4] = [Self::Http, Self::Grpc, Self::Resp, Self::Admin];

    /// As it is spelled in labels and logs.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Grpc => "grpc",
            Self::Resp => "resp",
            Self::Admin => "admin",
        }
    }
}

/// What is turned away before a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Turned {
    /// It could not be understood.
    Bad,
    /// There are no rules to decide by.
    NoSnapshot,
    /// The listener has no room for another connection.
    Full,
    /// The client's address has as many connections as it may.
    Address,
    /// Requests that have not arrived whole hold all the memory that they may.
    Unfinished,
    /// It took too long.
    Slow,
}

impl Turned {
    pub(super) const ALL: [Self; 6] = [
        Self::Bad,
        Self::NoSnapshot,
        Self::Full,
        Self::Address,
        Self::Unfinished,
        Self::Slow,
    ];

    /// As it is spelled in labels.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Bad => "bad_request",
            Self::NoSnapshot => "no_snapshot",
            Self::Full => "full",
            Self::Address => "address",
            Self::Unfinished => "unfinished",
            Self::Slow => "slow",
        }
    }
}
