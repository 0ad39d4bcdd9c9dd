//! What a look at Redis found.

use tollgate_core::{Micros, Timestamp};

use crate::{Doubt, Finding, Layout, Standing};

/// What a look at Redis found, for an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Examination {
    /// What Redis turned out to be.
    pub layout: Layout,
    /// The addresses that were given, in their order.
    pub doors: Vec<Door>,
    /// Every primary behind them, by name.
    pub primaries: Vec<Primary>,
    /// What the operator should look at.
    pub findings: Vec<Finding>,
    /// Nodes of the fleet that are alive; none if that cannot be heard.
    pub live_nodes: Option<u32>,
}

/// An address that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Door {
    /// `host:port`.
    pub name: String,
    /// Why it does not open.
    pub trouble: Option<Trouble>,
}

/// One primary.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Primary {
    /// `host:port`.
    pub name: String,
    /// `Redis 7.0.15`, if it may be asked.
    pub version: Option<String>,
    /// Whether it could be asked for counters, and takes writes.
    pub standing: Standing,
    /// What is wrong with it.
    pub trouble: Option<Trouble>,
    /// What may be lost of its counters.
    pub doubt: Option<Doubt>,
    /// How its clock stands to this machine's, if it may be asked.
    pub offset: Option<Offset>,
}

/// How another clock stands to this machine's, at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Offset {
    /// So far ahead; by nothing if no difference can be seen.
    Ahead(Micros),
    /// So far behind.
    Behind(Micros),
}

impl Offset {
    /// Of a clock that was read at some moment between two by this machine's: what is certain, whenever
    /// that was.
    pub fn between(there: Timestamp, before: Timestamp, after: Timestamp) -> Self {
        if there < before {
            Self::Behind(before.since(there))
        } else {
            Self::Ahead(there.since(after))
        }
    }
}

/// Something that does not work, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trouble {
    /// What.
    pub text: String,
    /// What to do.
    pub remedy: &'static str,
}
