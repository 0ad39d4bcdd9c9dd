//! What one protocol's connections bring.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{
    histogram::Histogram,
    protocol::{Protocol, Turned},
};

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
    slow: AtomicU64,
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
            Turned::Slow => &self.slow,
        }
    }

    /// Connections so far, and those that are open.
    pub(super) fn connections(&self) -> (u64, u64) {
        // In this order: one that opens and closes in between must not make it negative.
        let closed = self.closed.load(Relaxed);
        let opened = self.opened.load(Relaxed);
        (opened, opened.saturating_sub(closed))
    }
}
