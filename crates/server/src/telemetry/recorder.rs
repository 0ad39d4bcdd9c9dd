//! Who is told of what happens.

use tollgate::Ruling;
use tollgate_core::Micros;
use tollgate_memory::Throttled;
use tollgate_rules::Plan;

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
    /// A request was decided.
    pub(crate) fn decided(&self, _plan: &Plan<'_>, _ruling: &Ruling) {}

    /// A key of `CL.THROTTLE` was charged, or not.
    pub(crate) fn throttled(&self, _answer: &Throttled) {}

    /// So many requests were answered together, and it took so long from their bytes to those of the
    /// answers.
    pub(crate) fn answered(&self, _protocol: Protocol, _count: u64, _took: Micros) {}

    /// Something was turned away.
    pub(crate) fn turned_away(&self, _protocol: Protocol, _what: Turned) {}

    /// A connection was opened.
    pub(crate) fn opened(&self, _protocol: Protocol) {}

    /// A connection was closed.
    pub(crate) fn closed(&self, _protocol: Protocol) {}
}
