//! One counter of a request, and where it was found.

use tollgate_core::{Charge, Cost, Law, Now, OnFailure, State};

use crate::{class::Scope, overflow::Owner, word::Word};

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
    /// Whether it is reset while a sketch still counts it: its place is then marked.
    pub(super) is_marked: bool,
    /// The policy that answers instead of a sketch.
    pub(super) fallback: Option<OnFailure>,
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
    /// Nowhere but in a sketch.
    Sketch,
    /// Under the period its limit had before, in a slot or beside the table.
    FormerSlot(Held),
    FormerWide(u64),
    /// In a sketch, under the period that the limit had before.
    FormerSketch(Former),
}

/// A counter's identity under a period that its limit had before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Former {
    pub(super) fingerprint: u64,
    pub(super) scope: Scope,
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
            is_marked: false,
            fallback: None,
            state,
            asked: Some(Cost::ZERO),
        }
    }

    /// Whether it was found under a former period.
    pub(super) const fn is_carried_over(&self) -> bool {
        matches!(
            self.elsewhere,
            Elsewhere::FormerSlot(_) | Elsewhere::FormerWide(_) | Elsewhere::FormerSketch(_)
        )
    }

    /// Whether all that is known of it comes from a sketch.
    pub(super) const fn is_sketched(&self) -> bool {
        matches!(self.elsewhere, Elsewhere::Sketch | Elsewhere::FormerSketch(_))
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

    /// Whom to ask a sketch for.
    pub(super) fn owner(&self) -> Owner<'c> {
        Owner {
            fingerprint: self.fingerprint,
            scope: Some(self.scope()),
            law: self.law,
            capacity: self.law.capacity(),
        }
    }

    pub(super) fn former_owner(&self, former: Former) -> Owner<'c> {
        Owner { fingerprint: former.fingerprint, scope: Some(former.scope), ..self.owner() }
    }

    pub(super) const fn scope(&self) -> Scope {
        Scope::new(self.charge.key.rule(), self.charge.limit.period())
    }
}
