//! What a node has admitted of one key.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{
            AtomicU64,
            Ordering::{AcqRel, Acquire},
        },
    },
};

use tollgate_core::{Limit, Now};

use super::slots::{Slots, slot_of};

/// A key that is watched.
///
/// Whoever spends leases does so in epochs: [`Watch::turn`] says from when the tokens of an epoch are, and
/// [`Watch::spent`] is quick, because it is on the way of decisions.
#[derive(Debug)]
pub(crate) struct Watch {
    pub(super) limit: Limit,
    /// The present epoch in the upper bits, and below what was spent in it since the last look.
    word: AtomicU64,
    ledger: Mutex<Ledger>,
}

#[derive(Debug, Default)]
struct Ledger {
    /// The slots of the latest epochs, the present one last.
    epochs: VecDeque<(u64, u64)>,
    slots: Slots,
    /// How often in a row there was nothing to report.
    idle: u32,
}

const UNITS_BITS: u32 = 48;
const UNITS_MAX: u64 = (1 << UNITS_BITS) - 1;
const EPOCHS_MASK: u64 = (1 << (u64::BITS - UNITS_BITS)) - 1;

/// Epochs that a thread may be held up for between spending and telling; beyond that it is not counted.
const EPOCHS_KEPT: usize = 8;

impl Watch {
    pub(super) fn new(limit: Limit) -> Self {
        Self {
            limit,
            word: AtomicU64::new(0),
            ledger: Mutex::default(),
        }
    }

    /// From now on tokens of this epoch (its lower 16 bits count) may be spent, which were granted, or last confirmed,
    /// at this moment of Redis.
    pub(crate) fn turn(&self, epoch: u64, at: Now) {
        let epoch = epoch & EPOCHS_MASK;
        let mut ledger = self.ledger();
        let before = self.word.swap(epoch << UNITS_BITS, AcqRel);
        ledger.count(before >> UNITS_BITS, before & UNITS_MAX);
        ledger.epochs.retain(|(known, _)| *known != epoch);
        ledger.epochs.push_back((epoch, slot_of(&self.limit, at)));
        if ledger.epochs.len() > EPOCHS_KEPT {
            ledger.epochs.pop_front();
        }
    }

    /// Tokens of an epoch were spent on a request that passed.
    #[inline]
    pub(crate) fn spent(&self, epoch: u64, units: u64) {
        let epoch = epoch & EPOCHS_MASK;
        let add = |word: u64| {
            let sum = (word & UNITS_MAX).checked_add(units)?;
            (word >> UNITS_BITS == epoch && sum <= UNITS_MAX).then(|| (epoch << UNITS_BITS) | sum)
        };
        if self.word.fetch_update(AcqRel, Acquire, add).is_err() {
            self.ledger().count(epoch, units);
        }
    }

    /// Redis has let a request pass at this moment.
    pub(super) fn admitted(&self, units: u64, at: Now) {
        self.ledger().slots.add(slot_of(&self.limit, at), units);
    }

    /// What is to be reported; it is not kept.
    pub(super) fn take(&self) -> Slots {
        let mut ledger = self.ledger();
        let word = self.word.fetch_and(!UNITS_MAX, AcqRel);
        ledger.count(word >> UNITS_BITS, word & UNITS_MAX);
        let slots = std::mem::take(&mut ledger.slots);
        ledger.idle = match slots.is_empty() {
            true => ledger.idle.saturating_add(1),
            false => 0,
        };
        slots
    }

    /// Keeps what could not be reported.
    pub(super) fn restore(&self, slots: &Slots) {
        let mut ledger = self.ledger();
        for (slot, units) in slots.iter() {
            ledger.slots.add(slot, units);
        }
    }

    /// How often in a row there was nothing to report.
    pub(super) fn idle(&self) -> u32 {
        self.ledger().idle
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ledger {
    /// Counts what was spent in an epoch, if it is known when that was.
    fn count(&mut self, epoch: u64, units: u64) {
        let found = self.epochs.iter().find(|(known, _)| *known == epoch);
        if let Some((_, slot)) = found.copied() {
            self.slots.add(slot, units);
        }
    }
}
