//! All that a node leases.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use foldhash::fast::RandomState;
use tokio::sync::Notify;
use tollgate_core::{Charge, Clock as _, Consistency, Fingerprinter, Micros, Timestamp};

use super::{
    clock::LeaseClock,
    counts::Counts,
    holder::{Holder, Moved, Next},
    line::tag,
    sightings::Sightings,
    table::{KEYS_MAX, KEYS_MIN, Place, Table},
};
use crate::{
    Leases,
    exact::{Former, Item},
    verify::Verifier,
};

/// How long a denial is believed at most: a refund, a reset or a raised limit shows within this.
pub(super) const DENIAL_MAX: Micros = Micros::from_secs(1);
/// The same while others hold what they may give back.
pub(super) const DENIAL_MAX_HELD: Micros = Micros::from_millis(100);

/// The keys that this node leases, and who wants more.
pub(crate) struct Holdings {
    pub(super) hash: Fingerprinter,
    pub(super) table: Table,
    pub(super) sightings: Sightings,
    pub(super) clock: LeaseClock,
    pub(super) counts: Counts,
    leases: Leases,
    /// Where a counter of this name is.
    places: Mutex<HashMap<Box<[u8]>, Place, RandomState>>,
    verifier: Arc<Verifier>,
    /// Keys to be asked about, now and later.
    asked: Mutex<Vec<Place>>,
    due: Mutex<BinaryHeap<Reverse<(Timestamp, Place)>>>,
    pub(super) stir: Arc<Notify>,
    /// Whether all is given back, and nothing is leased any more.
    pub(super) is_leaving: AtomicBool,
}

impl Holdings {
    pub(crate) fn new(leases: Leases, clock: LeaseClock, verifier: Arc<Verifier>) -> Self {
        Self {
            hash: Fingerprinter::random(),
            table: Table::new(match leases {
                Leases::On => KEYS_MAX,
                Leases::Off => KEYS_MIN,
            }),
            sightings: Sightings::default(),
            clock,
            counts: Counts::default(),
            leases,
            places: Mutex::default(),
            verifier,
            asked: Mutex::default(),
            due: Mutex::default(),
            stir: Arc::default(),
            is_leaving: AtomicBool::new(false),
        }
    }

    /// Whether a charge may be served from a lease at all.
    #[inline]
    pub(crate) fn is_leased(&self, charge: &Charge<'_>) -> bool {
        charge.policy.consistency == Consistency::Leased && self.leases == Leases::On
    }

    #[inline]
    pub(super) fn print(&self, charge: &Charge<'_>) -> u64 {
        Table::print(self.hash.counter(charge.key, charge.limit.period()))
    }

    /// Somebody was not served at once, or little is left: more is wanted.
    pub(super) fn want(&self, place: Place) {
        let Some(margin) = self.table.margin(place) else {
            return;
        };
        if !margin.is_asked.swap(true, Relaxed) {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            asked.push(place);
            drop(asked);
            self.stir.notify_one();
        }
    }

    /// Redis has decided on a charge that may be leased: finds out whether the key is worth a lease.
    pub(crate) fn met(&self, charge: &Charge<'_>, item: &Item) {
        if !self.is_leased(charge) {
            return;
        }
        let (print, boot) = (self.print(charge), self.clock.boot());
        if self.table.find(print).is_some() {
            return;
        }
        if self.is_leaving.load(Relaxed) || !self.sightings.again(print, boot) {
            return;
        }
        let Ok(refresh) = charge.limit.refresh() else {
            return;
        };
        let former = match item.former.is_empty() {
            true => Former::None,
            false => Former::Some,
        };
        let make = || Holder::new(item.key.clone(), item.limit.clone(), former, (refresh, boot));
        if let Some(place) = self.table.insert(print, tag(charge.limit), make) {
            let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
            places.insert(item.key.as_bytes().into(), place);
            drop(places);
            self.watch(place, item);
            if let Some(margin) = self.table.margin(place) {
                // This one, and the one before that made it worth a lease.
                let units = charge.cost.get().max(1).saturating_mul(2);
                margin.unmet.store(units, Relaxed);
            }
            self.want(place);
        }
    }

    /// Has what is admitted of a new key verified, if it is of the sample.
    fn watch(&self, place: Place, item: &Item) {
        let watch = self.verifier.watch(&item.key, &item.limit);
        let spot = self.table.line(place).zip(self.table.margin(place));
        if let (Some(watch), Some((line, margin))) = (watch, spot) {
            margin.watch.store(Some(watch));
            line.watched();
        }
    }

    /// A refund or a reset has changed a counter: what was denied may pass now.
    pub(crate) fn forgive_key(&self, key: &[u8]) {
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let line = places.get(key).and_then(|place| self.table.line(*place));
        if let Some(line) = line {
            line.denied_until.store(0, Relaxed);
        }
    }

    /// Those to be asked about at this moment, and when the next is due.
    pub(super) fn due(
        &self,
        boot: Timestamp,
    ) -> (Vec<(Place, Option<Timestamp>)>, Option<Timestamp>) {
        let asked = &mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let mut places: Vec<(Place, Option<Timestamp>)> =
            std::mem::take(asked).into_iter().map(|place| (place, None)).collect();
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(Reverse((at, place))) = due.peek().copied() {
            if at > boot {
                return (places, Some(at));
            }
            due.pop();
            places.push((place, Some(at)));
        }
        (places, None)
    }

    /// Has a holder looked at then. One that is looked at before is put off when that happens, so that there are not more
    /// timers than keys by much.
    pub(super) fn schedule(&self, place: Place, holder: &mut Holder, at: Timestamp) {
        holder.next_at = at;
        if holder.timer.is_none_or(|timer| at < timer) {
            holder.timer = Some(at);
            let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
            due.push(Reverse((at, place)));
        }
    }

    /// Does something to a holder, and what follows from it.
    pub(super) fn with<T>(
        &self,
        place: Place,
        act: impl FnOnce(&mut Holder, super::holder::Spot<'_>, &mut Moved) -> (T, Option<Next>),
    ) -> Option<T> {
        let (line, margin) = (self.table.line(place)?, self.table.margin(place)?);
        let mut slot = self.table.holder(place)?;
        let holder = slot.as_deref_mut()?;
        let mut moved = Moved::default();
        let (told, next) = act(holder, (line, margin), &mut moved);
        self.counts.moved(holder, &moved);
        match next {
            Some(Next::At(at)) => {
                self.schedule(place, holder, at);
                margin.is_asked.store(false, Relaxed);
            }
            Some(Next::Forget) => {
                let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
                places.remove(holder.key.as_bytes());
                drop(places);
                self.table.remove(place, &mut slot);
            }
            None => {}
        }
        Some(told)
    }
}

/// What Redis said of a charge that it denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Denied {
    pub(crate) retry_after: Micros,
    /// Whether somebody holds tokens of it.
    pub(crate) is_held: bool,
}

impl std::fmt::Debug for Holdings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Holdings").finish_non_exhaustive()
    }
}
