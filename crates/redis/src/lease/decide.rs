//! Decisions from memory.

use std::sync::atomic::Ordering::Relaxed;

use smallvec::SmallVec;
use tollgate_core::{
    Answer, Charge, Clock as _, Decision, Instants, Law, Limit, Micros, Outcome, Timestamp, Verdict,
};

use super::{
    holdings::Holdings,
    line::{Line, Take, tag},
    purse::Taken,
    table::Place,
};

/// What a charge got of a lease.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Got {
    place: Place,
    taken: Taken,
    cost: u64,
    pub(crate) decision: Decision,
    /// What the key shows without it.
    pub(crate) untaken: Decision,
}

/// What became of a charge.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Local {
    Got(Got),
    Denied(Decision),
    /// Would pass.
    Seen(Decision),
    /// Redis has to be asked.
    Elsewhere,
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
        match line.take((print, tag(charge.limit)), cost, &self.clock) {
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
                self.in_vain(place, cost);
                None
            }
            Take::Foreign => {
                self.give_way(place, charge.limit);
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
                Local::Seen(_) | Local::Elsewhere => {
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
        let after: Option<SmallVec<[Decision; 4]>> = charges
            .get(at.saturating_add(1)..)?
            .iter()
            .map(|charge| self.peek(charge))
            .collect();
        let decisions = before.chain([decision]).chain(after?);
        Some(Verdict::of(decisions, now))
    }

    /// Takes one charge of several.
    pub(crate) fn take(&self, charge: &Charge<'_>) -> Local {
        if !self.is_leased(charge) || charge.cost.is_zero() {
            return Local::Elsewhere;
        }
        let (print, cost) = (self.print(charge), charge.cost.get());
        let Some((place, line)) = self.table.find(print) else {
            return Local::Elsewhere;
        };
        match line.take((print, tag(charge.limit)), cost, &self.clock) {
            Take::Got(taken, at) => {
                self.look_ahead(place, line, taken);
                let show = |left| shown(charge.limit, line, left, at.boot);
                Local::Got(Got {
                    place,
                    taken,
                    cost,
                    decision: show(taken.left),
                    untaken: show(taken.left.saturating_add(cost)),
                })
            }
            Take::Short => match self.denied(charge, place, line, self.clock.instants()) {
                Some(decision) => Local::Denied(decision),
                None => Local::Elsewhere,
            },
            Take::Ended => {
                self.in_vain(place, cost);
                Local::Elsewhere
            }
            Take::Foreign => {
                self.give_way(place, charge.limit);
                Local::Elsewhere
            }
        }
    }

    /// Tells what was spent on a request that passes to whoever verifies it.
    pub(crate) fn tell(&self, got: &Got) {
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

    /// Undoes what was taken for a request that does not pass.
    pub(crate) fn put_back<'g>(&self, got: impl IntoIterator<Item = &'g Got>) {
        for one in got {
            if let Some(line) = self.table.line(one.place) {
                line.purse.put_back(one.taken, one.cost);
            }
        }
    }

    /// What charging would say, if that is known here.
    pub(crate) fn peek(&self, charge: &Charge<'_>) -> Option<Decision> {
        if !self.is_leased(charge) {
            return None;
        }
        let (_, line) = self.table.find(self.print(charge))?;
        let boot = self.clock.boot();
        let is_ours = line.is_tagged(tag(charge.limit)) && boot < line.deadline();
        let left = line.purse.tokens().checked_sub(charge.cost.get())?;
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
        let Some(retry_at) = margin.denied(line, cost, at.boot) else {
            self.in_vain(place, cost);
            return None;
        };
        margin.unmet.fetch_add(cost, Relaxed);
        let law = charge.limit.law();
        let reset_at = Timestamp::from_micros(line.reset_at.load(Relaxed));
        let retry_at = retry_at.max(bucket_has(law, cost, reset_at)?);
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
    fn give_way(&self, place: Place, limit: &Limit) {
        let is_asked = self
            .table
            .margin(place)
            .is_none_or(|margin| margin.is_asked.load(Relaxed) > 0);
        if is_asked {
            return;
        }
        self.with(place, |holder, _, _| {
            if tag(&holder.limit) != tag(limit) {
                holder.leave();
            }
            ((), None)
        });
        self.want(place);
    }

    fn in_vain(&self, place: Place, cost: u64) {
        if let Some(margin) = self.table.margin(place) {
            margin.unmet.fetch_add(cost, Relaxed);
        }
        self.want(place);
    }
}

/// What a key shows with so many tokens left here.
#[inline]
fn shown(limit: &Limit, line: &Line, left: u64, boot: Timestamp) -> Decision {
    let capacity = limit.law().capacity();
    let remaining = left.saturating_add(line.left.load(Relaxed));
    let reset_at = Timestamp::from_micros(line.reset_at.load(Relaxed));
    limit.decide(Answer {
        outcome: Outcome::ALLOW,
        used: capacity.saturating_sub(remaining),
        reset_after: reset_at.since(boot),
    })
}

/// When a bucket that is full at a moment has so many tokens; `None` if it never has.
fn bucket_has(law: &Law, cost: u64, full_at: Timestamp) -> Option<Timestamp> {
    let Law::TokenBucket(law) = law else {
        return Some(Timestamp::from_micros(0));
    };
    let bucket = law.bucket();
    let spare = u128::from(bucket.capacity().checked_sub(cost)?);
    let units = spare * u128::from(bucket.units_per_token());
    let micros = units.checked_div(bucket.units_per_micro().into())?;
    Some(full_at.saturating_sub(Micros::new(u64::try_from(micros).ok()?)))
}
