//! Proposals as they are stored.

use std::sync::Arc;

use tollgate_core::Timestamp;

use crate::{Author, catalog::Lineage};

/// A change as it was asked for: whoever approves it has it done just so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The method.
    pub method: Arc<str>,
    /// The path with its query.
    pub target: Arc<str>,
    /// The header fields that count, such as `if-match`.
    pub headers: Vec<(Arc<str>, Arc<str>)>,
    /// The body.
    pub body: Arc<str>,
    /// The line of the token or certificate that asked.
    pub asker: Lineage,
}

/// What became of a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProposalState {
    /// It waits.
    Open,
    /// Somebody else approved it.
    Approved(Settled),
    /// Somebody rejected it.
    Rejected(Settled),
    /// Nobody did anything in time.
    Expired,
}

/// Who settled a proposal, when, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Who.
    pub by: Arc<str>,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub reason: Option<Arc<str>>,
}

/// A change that waits, or did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proposal {
    /// Which one.
    pub id: u64,
    /// What was asked for.
    pub asked: Asked,
    /// Who asked.
    pub author: Author,
    /// When.
    pub created_at: Timestamp,
    /// Until when it can be approved.
    pub expires_at: Timestamp,
    /// What became of it.
    pub state: ProposalState,
}

/// How somebody settles a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// It shall be done.
    Approve,
    /// It shall not.
    Reject,
}
