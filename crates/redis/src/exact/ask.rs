//! A request, or the part of one that is about the counters of one slot.

use smallvec::SmallVec;
use tokio::sync::oneshot;
use tollgate_core::Now;

use super::{Decisions, Item};
use crate::client::Failure;

/// What is to be done to some counters together, and who waits for it.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) deed: Deed,
    pub(super) part: Part,
    pub(super) items: SmallVec<[Item; 2]>,
    /// Nobody waits for a settlement.
    pub(super) waiting: Option<oneshot::Sender<Result<Granted, Refused>>>,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// All charges, or none.
    Charge,
    /// What charging would say.
    Peek,
    /// The same for a request that something else has denied: a limit that has changed is adopted, as by any
    /// request.
    Look,
    /// Gives costs back.
    Refund,
    /// Makes fresh.
    Reset,
    /// Nothing but what the ledger has on these counters.
    Settle,
}

/// Whether a request is about one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// It is.
    Whole,
    /// Others decide with it, so it may be shown as if it had not been asked.
    OfMany,
}

/// What came of it.
#[derive(Clone, Debug)]
pub(crate) struct Granted {
    pub(crate) decisions: Decisions,
    /// What the counters show without it, if this is a part.
    pub(crate) looked: Decisions,
    /// Tokens of each of these counters that nodes hold.
    pub(crate) held: SmallVec<[u64; 2]>,
    /// By the clock of Redis.
    pub(crate) now: Now,
}

/// Why nothing came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Redis was not asked, or did not answer.
    Failed(Failure),
    /// A counter holds something that is not ours.
    Foreign,
    /// A counter is not there, and may have been lost.
    Unknown,
    /// Others changed the counters again and again.
    Contended,
    /// Too many wait already.
    Crowded,
}

impl Ask {
    /// Whether whoever asked has gone away.
    pub(super) fn is_abandoned(&self) -> bool {
        self.waiting.as_ref().is_some_and(oneshot::Sender::is_closed)
    }

    /// Whether a script can decide on it.
    pub(super) fn is_for_scripts(&self) -> bool {
        let agrees = |item: &Item| {
            let mut same = self.items.iter().filter(|other| other.key == item.key);
            same.all(|other| other.limit == item.limit)
        };
        !matches!(self.deed, Deed::Refund | Deed::Reset)
            && self.items.iter().all(|item| item.is_for_scripts() && agrees(item))
    }

    pub(super) fn refuse(self, why: Refused) {
        if let Some(waiting) = self.waiting {
            // Whoever has gone away has been answered by a policy.
            drop(waiting.send(Err(why)));
        }
    }
}

/// Tells everybody.
pub(super) fn refuse_all(asks: Vec<Ask>, why: Refused) {
    for ask in asks {
        ask.refuse(why);
    }
}
