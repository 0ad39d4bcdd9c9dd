//! Tokens that are set aside for a request while Redis decides on the rest of it, and whether a denial by Redis stands.
//!
//! What this node holds of a counter is missing from the pool in Redis. A denial stands only if none of it can have made the
//! difference: a node must not be denied units that only it holds. See [`Holdings::is_final`].

use std::sync::atomic::Ordering::{Acquire, Relaxed};

use smallvec::SmallVec;
use tollgate_core::{Charge, Clock as _, Decision, Micros, Timestamp};

use super::{
    holder::{Holder, Spot},
    holdings::{DENIAL_MAX, DENIAL_MAX_HELD, Denied, Holdings},
    line::tag,
    shown::shown,
    table::Place,
    wallet::Wallet,
};

/// The lease of a key as a request found it, and the tokens it set aside. They are neither spent nor returned until
/// [`Holdings::spend`] or [`Holdings::release`].
#[derive(Debug)]
pub(crate) struct Reservation {
    place: Place,
    /// Of the holder: other tokens have other generations.
    generation: u64,
    units: u64,
    /// Calls that had been made for the lease; `None` if one was not answered yet.
    calls: Option<u64>,
}

/// A charge that a lease covers.
#[derive(Debug)]
pub(crate) struct Covered {
    pub(crate) reservation: Reservation,
    pub(crate) decision: Decision,
    /// What the key shows without the charge.
    pub(crate) untaken: Decision,
}

/// Keeps new lease calls away from keys while a request asks Redis about them.
pub(crate) struct HoldOff<'a> {
    holdings: &'a Holdings,
    places: SmallVec<[Place; 2]>,
}

impl Reservation {
    pub(crate) const fn units(&self) -> u64 {
        self.units
    }
}

impl Holdings {
    /// Sets aside all that a charge costs.
    pub(crate) fn cover(&self, charge: &Charge<'_>) -> Option<Covered> {
        let cost = charge.cost.get();
        let reservation = self.reserve(charge, |tokens| if tokens < cost { 0 } else { cost })?;
        if reservation.units < cost {
            // Nothing was set aside.
            return None;
        }
        let line = self.table.line(reservation.place)?;
        let boot = self.clock.boot();
        let left = self.tokens(reservation.place);
        Some(Covered {
            reservation,
            decision: shown(charge.limit, line, left, boot),
            untaken: shown(charge.limit, line, left.saturating_add(cost), boot),
        })
    }

    /// Sets aside as much as there is for a charge that costs more than that. `None` if the key is not leased.
    pub(crate) fn pay_in_part(&self, charge: &Charge<'_>) -> Option<Reservation> {
        let cost = charge.cost.get();
        let most = match cost <= charge.limit.law().capacity() {
            true => cost.saturating_sub(1),
            false => 0,
        };
        self.reserve(charge, |tokens| tokens.min(most))
    }

    /// Sets some of the tokens aside. Reports are made while the holder is held, so none sees tokens that are neither in a
    /// purse nor set aside.
    fn reserve(&self, charge: &Charge<'_>, share: impl FnOnce(u64) -> u64) -> Option<Reservation> {
        if !self.is_leased(charge) {
            return None;
        }
        let print = self.print(charge);
        let (place, line) = self.table.find(print)?;
        let margin = self.table.margin(place)?;
        let slot = self.table.holder(place)?;
        let holder = slot.as_deref()?;
        if line.print.load(Acquire) != print {
            return None;
        }
        let wallet = Wallet::of(line, margin);
        let may_spend = line.is_tagged(tag(charge.limit)) && self.clock.boot() < line.deadline();
        let units = match may_spend {
            true => wallet.give_up(share(wallet.tokens())),
            false => 0,
        };
        margin.reserved.fetch_add(units, Relaxed);
        Some(Reservation {
            place,
            generation: holder.generation,
            units,
            calls: holder.is_settled().then_some(holder.calls),
        })
    }

    /// Whether the tokens set aside may still be spent: their lease lives.
    pub(crate) fn is_good(&self, reservation: &Reservation) -> bool {
        let is_alive = |holder: &Holder, (line, _): Spot<'_>| {
            holder.generation == reservation.generation && self.clock.boot() < line.deadline()
        };
        reservation.units == 0 || self.look(reservation.place, is_alive) == Some(true)
    }

    /// The request passes: what was set aside for it is spent.
    pub(crate) fn spend(&self, reservation: &Reservation) {
        self.close(reservation, |(line, margin)| {
            if let Some(watch) = &*margin.watch.load() {
                watch.spent(line.purse.epoch(), reservation.units);
            }
        });
    }

    /// The request does not pass: what was set aside for it can be spent by others.
    pub(crate) fn release(&self, reservation: &Reservation) {
        self.close(reservation, |(line, _)| {
            line.purse.add(reservation.units);
        });
    }

    fn close(&self, reservation: &Reservation, act: impl FnOnce(Spot<'_>)) {
        if reservation.units == 0 {
            return;
        }
        self.look(reservation.place, |holder, spot| {
            // Tokens of another generation are void, and were counted as burnt.
            if holder.generation == reservation.generation {
                spot.1.reserved.fetch_sub(reservation.units, Relaxed);
                act(spot);
            }
        });
    }

    /// Whether a denial by Redis stands, which was asked after `reservation` was made and has not been released since.
    ///
    /// It does not if, while Redis was asked, a lease call of this node was under way: it may have taken from the pool
    /// what the charge needed, or was about to return it. Nor if this node has tokens, or other requests have set some
    /// aside that may come back. Without a lease call, and with nothing left here, all that was taken from the pool before
    /// was spent by requests that passed.
    pub(crate) fn is_final(&self, charge: &Charge<'_>, reservation: Option<&Reservation>) -> bool {
        if !self.is_leased(charge) {
            return true;
        }
        let found = self.table.find(self.print(charge));
        let (reservation, place) = match (reservation, found) {
            (None, None) => return true,
            (Some(reservation), Some((place, _))) => (reservation, place),
            // Leased, or leased no longer, since Redis was asked.
            _ => return false,
        };
        let is_final = |holder: &Holder, (line, margin): Spot<'_>| {
            let has_tokens =
                Wallet::of(line, margin).tokens() > 0 && self.clock.boot() < line.deadline();
            holder.generation == reservation.generation
                && holder.is_settled()
                && reservation.calls == Some(holder.calls)
                && !has_tokens
                && margin.reserved.load(Relaxed) == reservation.units
        };
        place == reservation.place && self.look(place, is_final) == Some(true)
    }

    /// Whether a denial by Redis could be final now: no lease call is under way, and no other request has set tokens aside.
    pub(crate) fn is_quiet(&self, charge: &Charge<'_>) -> bool {
        let found = self.table.find(self.print(charge));
        let is_quiet = |holder: &Holder, (_, margin): Spot<'_>| {
            holder.is_settled() && margin.reserved.load(Relaxed) == 0
        };
        let looked = found.and_then(|(place, _)| self.look(place, is_quiet));
        looked.unwrap_or(true)
    }

    /// Remembers a denial that is final.
    pub(crate) fn deny(&self, charge: &Charge<'_>, denied: Denied) {
        let print = self.print(charge);
        let found = self.table.find(print);
        let Some((place, line)) = found.filter(|_| self.is_leased(charge)) else {
            return;
        };
        let Some(margin) = self.table.margin(place) else {
            return;
        };
        let most = match denied.is_held {
            true => DENIAL_MAX_HELD,
            false => DENIAL_MAX,
        };
        let after = |wait: Micros| -> Timestamp { self.clock.boot().saturating_add(wait) };
        let until = after(denied.retry_after.min(most));
        margin.deny(line, charge.cost.get(), until, after(denied.retry_after));
        if line.print.load(Relaxed) != print {
            // It is another key's by now.
            line.denied_until.store(0, Relaxed);
        }
    }

    /// Keeps new lease calls away from the keys of these charges for a while.
    pub(crate) fn hold_off(&self, charges: &[Charge<'_>]) -> HoldOff<'_> {
        let leased = charges.iter().filter(|charge| self.is_leased(charge));
        let places = leased.filter_map(|charge| Some(self.table.find(self.print(charge))?.0));
        let places: SmallVec<[Place; 2]> = places.collect();
        for margin in places.iter().filter_map(|place| self.table.margin(*place)) {
            margin.held_off.fetch_add(1, Relaxed);
        }
        HoldOff { holdings: self, places }
    }

    fn tokens(&self, place: Place) -> u64 {
        let spot = self.table.line(place).zip(self.table.margin(place));
        spot.map_or(0, |(line, margin)| Wallet::of(line, margin).tokens())
    }

    /// Looks at a holder while nothing happens to it.
    fn look<T>(&self, place: Place, look: impl FnOnce(&Holder, Spot<'_>) -> T) -> Option<T> {
        let spot = (self.table.line(place)?, self.table.margin(place)?);
        let slot = self.table.holder(place)?;
        slot.as_deref().map(|holder| look(holder, spot))
    }
}

impl Drop for HoldOff<'_> {
    fn drop(&mut self) {
        let table = &self.holdings.table;
        for margin in self.places.iter().filter_map(|place| table.margin(*place)) {
            margin.held_off.fetch_sub(1, Relaxed);
        }
    }
}
