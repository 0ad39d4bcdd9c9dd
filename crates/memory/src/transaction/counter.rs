//! One counter of a request, and where it was found.

use tollgate_core::{Charge, Cost, Law, Now, State};

use crate::{store::Counters, word::Word};

#[derive(Debug)]
pub(super) struct Counter<'c> {
    pub(super) charge: Charge<'c>,
    pub(super) law: &'c Law,
    pub(super) fingerprint: u64,
    /// The slot of its own, held.
    pub(super) slot: Option<Held>,
    pub(super) elsewhere: Elsewhere,
    /// What was found, as the limit now in force counts it.
    pub(super) before: State,
    /// Whether to write the state even if nothing was charged: it is not what is stored.
    pub(super) must_write: bool,
    pub(super) state: State,
    /// The sum of the costs so far; `None` once that is beyond 64 bits.
    pub(super) asked: Option<Cost>,
}

/// A slot by its place in the table, and the word it had when it was held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) index: usize,
    pub(super) word: Word,
}

/// Where a counter without a live slot of its own is counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Elsewhere {
    Nowhere,
    /// Beside the table.
    Wide,
    /// By a counter that several keys share.
    Shared,
    /// Under the period its limit had before, in a slot or beside the table.
    FormerSlot(Held),
    FormerWide(u64),
}

impl<'c> Counter<'c> {
    pub(super) fn new(charge: Charge<'c>, fingerprint: u64, now: Now) -> Self {
        let law = charge.limit.law();
        let fresh = law.fresh(now);
        let (before, state) = (fresh.clone(), fresh);
        Self {
            charge,
            law,
            fingerprint,
            slot: None,
            elsewhere: Elsewhere::Nowhere,
            before,
            must_write: false,
            state,
            asked: Some(Cost::ZERO),
        }
    }

    /// Whether states of its limit fit a slot.
    pub(super) fn fits_slot(&self, store: &Counters) -> bool {
        store.class(self.law).is_some()
    }

    /// Whether it was found under a former period.
    pub(super) const fn is_carried_over(&self) -> bool {
        matches!(
            self.elsewhere,
            Elsewhere::FormerSlot(_) | Elsewhere::FormerWide(_)
        )
    }

    pub(super) fn leave_as_found(&mut self) {
        self.state = self.before.clone();
        self.must_write = false;
    }

    /// Whether this fingerprint is the counter's own, or one it takes over.
    pub(super) const fn is_counted_as(&self, fingerprint: u64) -> bool {
        let is_former = matches!(self.elsewhere, Elsewhere::FormerWide(it) if it == fingerprint);
        self.fingerprint == fingerprint || is_former
    }

    pub(super) fn holds(&mut self, held: Held, owner: u64) {
        if owner == self.fingerprint {
            self.slot = Some(held);
        } else {
            self.elsewhere = Elsewhere::FormerSlot(held);
        }
    }

    /// What the keys of this limit have in common.
    pub(super) fn shared_id(&self, store: &Counters) -> u64 {
        store
            .hash
            .salt(self.charge.key.rule(), self.charge.limit.period())
    }
}
