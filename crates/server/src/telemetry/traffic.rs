//! What one protocol's connections bring.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{
    attempts::Attempts,
    histogram::Histogram,
    protocol::{Protocol, Turned},
    unfinished::Unfinished,
};
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
