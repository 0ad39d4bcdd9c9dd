//! Decisions from memory.

use std::sync::atomic::Ordering::Relaxed;

use smallvec::SmallVec;
use tollgate_core::{
    AlgorithmName, Answer, Charge, Clock as _, Decision, Instants, Limit, Micros, Outcome,
    Timestamp, Verdict,
};

use super::{
    holdings::Holdings,
    line::{Line, Take, tag},
    purse::{Taken, Until},
    shown::{bucket_has, shown},
    table::Place,
    wallet::Wallet,
};

/// What a charge got of a lease.
#[derive(Clone, Copy, Debug)]
pub(super) struct Got {
    pub(super) place: Place,
    pub(super) taken: Taken,
    pub(super) cost: u64,
    pub(super) until: Until,
    pub(super) decision: Decision,
    /// What the key shows without it.
    pub(super) untaken: Decision,
}

/// What became of a charge.
#[derive(Clone, Copy, Debug)]
enum Local {
    Got(Got),
    Denied(Decision),
    /// Redis has to be asked.
    Elsewhere,
}

/// For how long what was taken of a limit can be put back.
fn until(limit: &Limit) -> Until {
    match limit.algorithm() {
        AlgorithmName::TokenBucket => Until::Report,
        _ => Until::Emptied,
    }
}

impl Holdings {
    /// Decides on a request, if all that it takes is here, or something of it is known to be denied.
    #[inline]
    pub(crate) fn charge(&self, charges: &[Charge<'_>]) -> Option<Verdict> {
        match charges {
            [charge] => self.charge_one(charge),
            _ => self.charge_all(charges),
        }
    }

    #[inline]
    fn charge_one(&self, charge: &Charge<'_>) -> Option<Verdict> {
        if !self.is_leased(charge) || charge.cost.is_zero() {
            return None;
        }
        let (print, cost) = (self.print(charge), charge.cost.get());
        let (place, line) = self.table.find(print)?;
        match self.take_tokens(place, line, (print, tag(charge.limit)), cost) {
            Take::Got(taken, at) => {
                self.look_ahead(place, line, taken);
                if line.is_watched() {
                    self.tell_of(place, taken, cost);
                }
                let decision = shown(charge.limit, line, taken.left, at.boot);
                Some(Verdict::single(decision, at.now))
            }
            Take::Short => {
                let at = self.clock.instants();
                let denied = self.denied(charge, place, line, at)?;
                Some(Verdict::single(denied, at.now))
            }
            Take::Ended => {
                self.in_vain(place, charge);
                None
            }
            Take::Foreign => {
                self.give_way(place, print, charge.limit);
                None
            }
        }
    }

    /// All of them, or none.
    fn charge_all(&self, charges: &[Charge<'_>]) -> Option<Verdict> {
        let mut got: SmallVec<[Got; 4]> = SmallVec::new();
        let mut denied: Option<(usize, Decision)> = None;
        for (at, charge) in charges.iter().enumerate() {
            match self.take(charge) {
                Local::Got(one) => got.push(one),
                Local::Denied(decision) => {
                    denied = Some((at, decision));
                    break;
                }
                Local::Elsewhere => {
                    self.put_back(&got);
                    return None;
                }
            }
        }
        let now = self.clock.now();
        let Some((at, decision)) = denied else {
            got.iter().for_each(|one| self.tell(one));
            return Some(Verdict::of(got.iter().map(|one| one.decision), now));
        };
        self.put_back(&got);
        // Those after it are not asked about: what they would say changes nothing, but it must be known.
        let before = got.iter().map(|one| one.untaken);
        let after: Option<SmallVec<[Decision; 4]>> =
            charges.get(at.saturating_add(1)..)?.iter().map(|charge| self.peek(charge)).collect();
        let decisions = before.chain([decision]).chain(after?);
        Some(Verdict::of(decisions, now))
    }

    /// Takes one charge of several.
    fn take(&self, charge: &Charge<'_>) -> Local {
        if !self.is_leased(charge) || charge.cost.is_zero() {
            return Local::Elsewhere;
        }
        let (print, cost) = (self.print(charge), charge.cost.get());
        let Some((place, line)) = self.table.find(print) else {
            return Local::Elsewhere;
        };
        match self.take_tokens(place, line, (print, tag(charge.limit)), cost) {
            Take::Got(taken, at) => {
                self.look_ahead(place, line, taken);
                let show = |left| shown(charge.limit, line, left, at.boot);
                Local::Got(Got {
                    place,
                    taken,
                    cost,
                    until: until(charge.limit),
                    decision: show(taken.left),
                    untaken: show(taken.left.saturating_add(cost)),
                })
            }
            Take::Short => match self.denied(charge, place, line, self.clock.instants()) {
                Some(decision) => Local::Denied(decision),
                None => Local::Elsewhere,
            },
            Take::Ended => {
                self.in_vain(place, charge);
                Local::Elsewhere
            }
            Take::Foreign => {
                self.give_way(place, print, charge.limit);
                Local::Elsewhere
            }
        }
    }

    /// What is known here of a charge that no lease covers: that it is denied, or nothing.
    pub(crate) fn refuse(&self, charge: &Charge<'_>) -> Option<Decision> {
        let print = self.print(charge);
        let (place, line) = self.table.find(print).filter(|_| self.is_leased(charge))?;
        if line.is_tagged(tag(charge.limit)) {
            return self.denied(charge, place, line, self.clock.instants());
        }
        self.give_way(place, print, charge.limit);
        None
    }

    /// How long nothing is to be had, as far as was heard last, however long ago: for policies, while Redis cannot be asked.
    pub(crate) fn wait(&self, charge: &Charge<'_>) -> Option<Micros> {
        let (place, line) = self
            .table
            .find(self.print(charge))
            .filter(|(_, line)| self.is_leased(charge) && line.is_tagged(tag(charge.limit)))?;
        let (cost, boot) = (charge.cost.get(), self.clock.boot());
        let retry_at = self.table.margin(place)?.denied_last(line, cost)?;
        let reset_at = Timestamp::from_micros(line.reset_at.load(Relaxed));
        let retry_at = retry_at.max(bucket_has(charge.limit.law(), cost, reset_at)?);
        (boot < retry_at).then(|| retry_at.since(boot))
    }

    /// Tells what was spent on a request that passes to whoever verifies it.
    fn tell(&self, got: &Got) {
        let line = self.table.line(got.place);
        if line.is_some_and(Line::is_watched) {
            self.tell_of(got.place, got.taken, got.cost);
        }
    }

    fn tell_of(&self, place: Place, taken: Taken, cost: u64) {
        let margin = self.table.margin(place);
        if let Some(watch) = &*margin.map_or_else(Default::default, |margin| margin.watch.load()) {
            watch.spent(taken.epoch, cost);
        }
    }

    /// What charging would say, if that is known here.
    pub(crate) fn peek(&self, charge: &Charge<'_>) -> Option<Decision> {
        if !self.is_leased(charge) {
            return None;
        }
        let (place, line) = self.table.find(self.print(charge))?;
        let boot = self.clock.boot();
        let is_ours = line.is_tagged(tag(charge.limit)) && boot < line.deadline();
        let tokens = Wallet::of(line, self.table.margin(place)?).tokens();
        let left = tokens.checked_sub(charge.cost.get())?;
        is_ours.then(|| shown(charge.limit, line, left, boot))
    }

    /// More is asked for before it is missing.
    #[inline]
    fn look_ahead(&self, place: Place, line: &Line, taken: Taken) {
        if taken.left < line.low.load(Relaxed) {
            self.want(place);
        }
    }

    /// Nothing is to be had; or that is not known, and Redis has to be asked.
    #[cold]
    fn denied(
        &self,
        charge: &Charge<'_>,
        place: Place,
        line: &Line,
        at: Instants,
    ) -> Option<Decision> {
        let (margin, cost) = (self.table.margin(place)?, charge.cost.get());
        if cost > charge.limit.law().capacity() {
            // It never fits: Redis says so.
            return None;
        }
        // What other requests have set aside may come back.
        let is_reserved = margin.reserved.load(Relaxed) > 0;
        let denied = margin.denied(line, cost, at.boot);
        let Some(retry_at) = denied.filter(|_| !is_reserved) else {
            self.in_vain(place, charge);
            return None;
        };
        let law = charge.limit.law();
        let reset_at = Timestamp::from_micros(line.reset_at.load(Relaxed));
        let retry_at = retry_at.max(bucket_has(law, cost, reset_at)?);
        margin.unmet.fetch_add(cost, Relaxed);
        self.counts.denials.fetch_add(1, Relaxed);
        Some(charge.limit.decide(Answer {
            outcome: Outcome::Deny {
                retry_after: Some(retry_at.since(at.boot).max(Micros::new(1))),
            },
            used: law.capacity(),
            reset_after: reset_at.since(at.boot),
        }))
    }

    /// The limit has changed: what was granted by the one before is given back, and the key is leased anew.
    #[cold]
    fn give_way(&self, place: Place, print: u64, limit: &Limit) {
        let is_stale = self.with(place, |holder, (line, margin), _| {
            let is_ours = line.print.load(Relaxed) == print;
            let is_stale = is_ours && tag(&holder.limit) != tag(limit) && holder.leave_once();
            if is_stale {
                margin.is_asked.store(false, Relaxed);
            }
            (is_stale, None)
        });
        if is_stale == Some(true) {
            self.want(place);
        }
    }

    /// What can never fit is no demand.
    fn in_vain(&self, place: Place, charge: &Charge<'_>) {
        if charge.cost.get() > charge.limit.law().capacity() {
            return;
        }
        if let Some(margin) = self.table.margin(place) {
            margin.unmet.fetch_add(charge.cost.get(), Relaxed);
        }
        self.want(place);
    }
}
