//! Who is told of what happens.

use tollgate::Ruling;
use tollgate_core::Micros;
use tollgate_rules::{Plan, Snapshot};

use crate::config::Settings;

/// Counts. Called on the way of every decision: be quick.
#[derive(Debug, Default)]
pub(crate) struct Recorder {}

/// How somebody asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Protocol {
    /// HTTP/1.1.
    Http,
    /// The Redis protocol.
    Resp,
    /// The admin side.
    Admin,
}

impl Protocol {
    /// As it is spelled in labels and logs.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
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
    /// There is no room for another connection.
    Full,
    /// It took too long.
    Slow,
}

impl Recorder {
    pub(crate) fn new(_settings: &Settings) -> Self {
        Self::default()
    }

    /// A request was decided.
    pub(crate) fn decided(&self, _plan: &Plan<'_>, _ruling: &Ruling) {}

    /// So many requests were answered together, and it took so long from their bytes to those of the
    /// answers.
    pub(crate) fn answered(&self, _protocol: Protocol, _count: u64, _took: Micros) {}

    /// Something was turned away.
    pub(crate) fn turned_away(&self, _protocol: Protocol, _what: Turned) {}

    /// A connection was opened.
    pub(crate) fn opened(&self, _protocol: Protocol) {}

    /// A connection was closed.
    pub(crate) fn closed(&self, _protocol: Protocol) {}

    /// Other rules are in force.
    pub(crate) fn rules_changed(&self, _snapshot: &Snapshot) {}

    /// A rules file was read again, or could not be.
    pub(crate) fn rules_reloaded<E>(&self, _outcome: Result<(), E>) {}

    /// The counters were written to disk, or could not be.
    pub(crate) fn counters_saved<E>(&self, _outcome: Result<(), E>) {}
}
