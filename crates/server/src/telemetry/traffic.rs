//! What one protocol's connections bring.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use tollgate_core::{Clock as _, SystemClock};

use super::{histogram::Histogram, unfinished::Unfinished};
use crate::tls::Failure;

/// The counts of every protocol.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    http: Lane,
    grpc: Lane,
    resp: Lane,
    admin: Lane,
}

/// The counts of one.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub(super) answered: Histogram,
    opened: AtomicU64,
    closed: AtomicU64,
    bad: AtomicU64,
    no_snapshot: AtomicU64,
    full: AtomicU64,
    address: AtomicU64,
    unfinished_refused: AtomicU64,
    slow: AtomicU64,
    pub(super) unfinished: Unfinished,
    /// How many may be open at once; 0 until the listener accepts any.
    connections_max: AtomicU64,
    /// By [`Failure::ALL`].
    handshakes_failed: [AtomicU64; Failure::ALL.len()],
    /// In seconds since 1970; 0 if it speaks in clear.
    certificate_expires_s: AtomicU64,
    /// Of its certificate.
    pub(super) reloads: Attempts,
}

impl Traffic {
    pub(super) const fn lane(&self, protocol: Protocol) -> &Lane {
        match protocol {
            Protocol::Http => &self.http,
            Protocol::Grpc => &self.grpc,
            Protocol::Resp => &self.resp,
            Protocol::Admin => &self.admin,
        }
    }

    pub(super) fn lanes(&self) -> impl Iterator<Item = (String, &Lane)> {
        let named = |protocol: Protocol| (protocol.name().to_owned(), self.lane(protocol));
        Protocol::ALL.into_iter().map(named)
    }
}

impl Lane {
    pub(super) fn opened(&self) {
        self.opened.fetch_add(1, Relaxed);
    }

    pub(super) fn closed(&self) {
        self.closed.fetch_add(1, Relaxed);
    }

    pub(super) fn turned_away(&self, what: Turned) {
        self.turned(what).fetch_add(1, Relaxed);
    }

    pub(super) const fn turned(&self, what: Turned) -> &AtomicU64 {
        match what {
            Turned::Bad => &self.bad,
            Turned::NoSnapshot => &self.no_snapshot,
            Turned::Full => &self.full,
            Turned::Address => &self.address,
            Turned::Unfinished => &self.unfinished_refused,
            Turned::Slow => &self.slow,
        }
    }

    pub(super) fn handshake_failed(&self, failure: Failure) {
        let counts = Failure::ALL.iter().zip(&self.handshakes_failed);
        for (_, count) in counts.filter(|(known, _)| **known == failure) {
            count.fetch_add(1, Relaxed);
        }
    }

    pub(super) fn handshakes_failed(&self) -> impl Iterator<Item = (Failure, u64)> {
        let counts = Failure::ALL.into_iter().zip(&self.handshakes_failed);
        counts.map(|(failure, count)| (failure, count.load(Relaxed)))
    }

    pub(super) fn certificate_expires(&self, at_s: u64) {
        self.certificate_expires_s.store(at_s, Relaxed);
    }

    /// When its certificate runs out, if it speaks TLS.
    pub(super) fn certificate_expiry(&self) -> Option<u64> {
        let at_s = self.certificate_expires_s.load(Relaxed);
        (at_s > 0).then_some(at_s)
    }

    pub(super) fn holds_at_most(&self, connections: u64) {
        self.connections_max.store(connections, Relaxed);
    }

    pub(super) fn connections_max(&self) -> u64 {
        self.connections_max.load(Relaxed)
    }

    /// Connections so far, and those that are open.
    pub(super) fn connections(&self) -> (u64, u64) {
        // In this order: one that opens and closes in between must not make it negative.
        let closed = self.closed.load(Relaxed);
        let opened = self.opened.load(Relaxed);
        (opened, opened.saturating_sub(closed))
    }
}

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
    pub(super) const ALL: [Self; 6] =
        [Self::Bad, Self::NoSnapshot, Self::Full, Self::Address, Self::Unfinished, Self::Slow];

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

/// How often something failed, and when it last went well.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    failures: AtomicU64,
    is_failing: AtomicBool,
    /// In µs since 1970; 0 is never.
    went_well_us: AtomicU64,
}

/// What another attempt changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempted {
    /// It went as the one before.
    AsBefore,
    /// The one before went well, or there was none.
    Broke,
    /// The one before failed.
    Mended,
}

impl Attempts {
    pub(super) fn note<E>(&self, outcome: &Result<(), E>) -> Attempted {
        let failed = outcome.is_err();
        if failed {
            self.failures.fetch_add(1, Relaxed);
        } else {
            let now = SystemClock.now().wall.as_micros();
            self.went_well_us.store(now, Relaxed);
        }
        match (self.is_failing.swap(failed, Relaxed), failed) {
            (false, true) => Attempted::Broke,
            (true, false) => Attempted::Mended,
            _ => Attempted::AsBefore,
        }
    }

    pub(super) fn failures(&self) -> u64 {
        self.failures.load(Relaxed)
    }

    pub(super) fn is_failing(&self) -> bool {
        self.is_failing.load(Relaxed)
    }

    /// When it last went well; 0 is never.
    pub(super) fn went_well_us(&self) -> u64 {
        self.went_well_us.load(Relaxed)
    }
}
