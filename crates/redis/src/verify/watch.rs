//! What a node has admitted of one key.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{
            AtomicU64,
            Ordering::{AcqRel, Acquire},
        },
    },
};

use tollgate_core::{Clock, Limit, Micros, Now, Timestamp};

use super::slots::{BLIND_MAX, Slots, is_bucket, slot_of};

/// A key that is watched.
///
/// Whoever spends leases does so in epochs. [`Watch::turn`] begins one, and says what Redis said when it last confirmed the
/// lease; [`Watch::spent`] is quick, because it is on the way of decisions.
pub(crate) struct Watch {
    pub(super) limit: Limit,
    clock: Arc<dyn Clock>,
    /// The present epoch in the upper bits, and below what was spent in it since the last look.
    word: AtomicU64,
    ledger: Mutex<Ledger>,
}

#[derive(Debug, Default)]
struct Ledger {
    /// When Redis last confirmed the lease, by its own clock, and when that was heard here.
    heard: Option<(Now, Timestamp)>,
    /// The slots of the latest epochs, the present one last.
    epochs: VecDeque<(u64, u64)>,
    /// When the slot of the present epoch was last put right.
    since: Timestamp,
    slots: Slots,
    /// How often in a row there was nothing to report.
    idle: u32,
}

const UNITS_BITS: u32 = 48;
const UNITS_MAX: u64 = (1 << UNITS_BITS) - 1;
const EPOCHS_MASK: u64 = (1 << (u64::BITS - UNITS_BITS)) - 1;

/// Epochs that a thread may be held up for between spending and telling; beyond that it is not counted.
const EPOCHS_KEPT: usize = 8;
/// Clocks differ by one in so many: what is said of the time of Redis is not later than it is.
const DRIFT_ONE_IN: u64 = 1_000;

impl Watch {
    pub(super) fn new(limit: Limit, clock: Arc<dyn Clock>) -> Self {
        Self { limit, clock, word: AtomicU64::new(0), ledger: Mutex::default() }
    }

    /// From now on tokens of this epoch are spent (its lower 16 bits count). If Redis has just granted or confirmed them,
    /// `heard` is when that was, by its clock. Of a window all tokens of an epoch are of the same one.
    pub(crate) fn turn(&self, epoch: u64, heard: Option<Now>) {
        let epoch = epoch & EPOCHS_MASK;
        let mut ledger = self.ledger();
        let boot = self.clock.boot();
        let before = self.word.swap(epoch << UNITS_BITS, AcqRel);
        self.close(&mut ledger, before, boot);
        if let Some(now) = heard {
            ledger.heard = Some((now, boot));
        }
        ledger.epochs.retain(|(known, _)| *known != epoch);
        if let Some(slot) = self.slot(&ledger, boot) {
            ledger.epochs.push_back((epoch, slot));
        }
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
            (word >> UNITS_BITS == epoch && sum <= UNITS_MAX).then_some((epoch << UNITS_BITS) | sum)
        };
        if self.word.fetch_update(AcqRel, Acquire, add).is_err() && !is_bucket(&self.limit) {
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
        let boot = self.clock.boot();
        let word = self.word.fetch_and(!UNITS_MAX, AcqRel);
        self.close(&mut ledger, word, boot);
        if is_bucket(&self.limit)
            && let Some(slot) = self.slot(&ledger, boot)
            && let Some((_, present)) = ledger.epochs.back_mut()
        {
            // What is spent from now on is spent later.
            *present = slot;
        }
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

    /// Counts what was spent until now.
    fn close(&self, ledger: &mut Ledger, word: u64, boot: Timestamp) {
        let blind = boot.since(ledger.since);
        ledger.since = boot;
        if !is_bucket(&self.limit) || blind <= BLIND_MAX {
            ledger.count(word >> UNITS_BITS, word & UNITS_MAX);
        }
    }

    /// The slot of what is spent from now on. Of a window that is the one of the lease; of a bucket that of the moment, or
    /// of one a bit earlier.
    fn slot(&self, ledger: &Ledger, boot: Timestamp) -> Option<u64> {
        let (mut at, heard) = ledger.heard?;
        if is_bucket(&self.limit) {
            let passed = boot.since(heard).get();
            let passed = Micros::new(passed.saturating_sub(passed / DRIFT_ONE_IN));
            at.steady = at.steady.saturating_add(passed);
        }
        Some(slot_of(&self.limit, at))
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

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("limit", &self.limit).finish_non_exhaustive()
    }
}
