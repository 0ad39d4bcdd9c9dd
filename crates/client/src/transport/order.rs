//! A call on its way through a connection.

use std::sync::Arc;

use smallvec::SmallVec;
use tokio::sync::oneshot;
use tollgate_wire::check::{ProblemTold, Told};

use super::claim::Claim;
use crate::{Error, convert};

/// What a server said to one call.
#[derive(Debug)]
pub(crate) struct Said {
    /// One for each question.
    pub(crate) told: SmallVec<[Result<Told, ProblemTold>; 1]>,
    /// The status of the answer, where there is one.
    pub(crate) status: Option<u16>,
    /// How many callers there are, if it says so.
    pub(crate) callers: Option<u32>,
}

/// A call that came to nothing.
#[derive(Debug)]
pub(crate) enum Lost {
    /// No byte of it was written: another server may be asked.
    Unsent(Error),
    /// The server may have decided.
    Sent(Error),
}

impl Lost {
    pub(crate) fn into_error(self) -> Error {
        match self {
            Self::Unsent(error) | Self::Sent(error) => error,
        }
    }
}

/// How many answers are expected to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    One,
    /// So many.
    Batch(usize),
}

/// A call, as a connection takes it.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) frame: Vec<u8>,
    pub(super) expected: Expected,
    /// Whoever takes it first has it: the connection to write it, or the caller to take it back.
    pub(super) claim: Arc<Claim>,
    pub(super) reply: oneshot::Sender<Result<Said, Lost>>,
}

impl Order {
    pub(super) fn fail(self, lost: Lost) {
        // Whoever asked may be gone.
        drop(self.reply.send(Err(lost)));
    }
}

impl Said {
    /// Whether the server failed, rather than decided or found fault with a question.
    pub(crate) fn is_failure(&self) -> bool {
        let failed = |told: &Result<Told, ProblemTold>| match told {
            Ok(_) => false,
            Err(problem) => convert::error(problem).is_retryable(),
        };
        !self.told.is_empty() && self.told.iter().all(failed)
    }
}
