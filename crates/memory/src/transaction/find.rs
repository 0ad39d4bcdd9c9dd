//! Locking shards, finding counters, holding slots.

use std::sync::MutexGuard;

use smallvec::SmallVec;
use tollgate_core::{Charge, Clock, Law, Limit, OnFailure, State};

use super::{
    Transaction,
    counter::{Counter, Elsewhere, Former, Held},
};
use crate::{
    class::Scope,
    overflow::{Owner, Reading},
    shard::{Entry, Shard, position},
    slot::Slot,
    store::Counters,
    word::Word,
};

/// A slot to hold for a counter.
struct Wanted {
    index: usize,
    owner: u64,
    counter: usize,
}

impl<'s, 'c> Transaction<'s, 'c> {
    pub(super) fn open(store: &'s Counters, clock: &impl Clock, charges: &[Charge<'c>]) -> Self {
        let now = clock.now();
        let mut counters: SmallVec<[Counter<'c>; 2]> = SmallVec::new();
        for charge in charges {
            let fingerprint = store.hash.counter(charge.key, charge.limit.period());
            if counters.iter().all(|counter| counter.fingerprint != fingerprint) {
                counters.push(Counter::new(*charge, fingerprint, now));
            }
        }
        let mut shards = lock(store, &counters);
        for (_, shard) in &mut shards {
            shard.overflow.notice(now);
        }
        let mut transaction = Self { store, now, shards, counters };
        while !transaction.find_and_hold() {
            transaction.let_go();
        }
        transaction.now = clock.now();
        transaction.read_states();
        transaction
    }

    /// `false` if a slot changed hands between being found and being held.
    fn find_and_hold(&mut self) -> bool {
        let mut wanted: SmallVec<[Wanted; 2]> = SmallVec::new();
        for counter in 0..self.counters.len() {
            self.find(counter, &mut wanted);
        }
        // One order for everybody, so that nobody waits in a circle.
        wanted.sort_unstable_by_key(|wanted| wanted.index);
        for Wanted { index, owner, counter } in wanted {
            let Some(word) = self.slot(index).and_then(|slot| slot.hold(owner)) else {
                return false;
            };
            if let Some(counter) = self.counters.get_mut(counter) {
                counter.holds(Held { index, word }, owner);
            }
        }
        true
    }

    /// Looks for the slot of a counter, and elsewhere if nothing is counted there.
    fn find(&mut self, index: usize, wanted: &mut SmallVec<[Wanted; 2]>) {
        let Some(counter) = self.counters.get(index) else {
            return;
        };
        let fingerprint = counter.fingerprint;
        let slot = self.store.table.find(fingerprint);
        if let Some((place, slot)) = slot {
            wanted.push(Wanted { index: place, owner: fingerprint, counter: index });
            if self.is_live(slot) {
                return;
            }
        }
        let own = slot.map(|(_, slot)| slot);
        let (elsewhere, former) = self.elsewhere(counter, wanted, own);
        if let Some((place, owner)) = former {
            wanted.push(Wanted { index: place, owner, counter: index });
        }
        if let Some(counter) = self.counters.get_mut(index) {
            counter.elsewhere = elsewhere;
        }
    }

    /// Where a counter is counted if not in its slot, and the former slot to hold for that.
    fn elsewhere(
        &self,
        counter: &Counter<'c>,
        wanted: &[Wanted],
        own: Option<Slot<'_>>,
    ) -> (Elsewhere, Option<(usize, u64)>) {
        if self.wide(counter.fingerprint).is_some() {
            return (Elsewhere::Wide, None);
        }
        // A slot that counted this key last knows better than a sketch; one that was cleared, since the
        // key went elsewhere, does not.
        let asks_sketch = own.is_none_or(|slot| slot.read().class() == 0);
        let mut sketched = None;
        if asks_sketch && self.sketched(counter.owner()).is_some() {
            sketched = Some(Elsewhere::Sketch);
        }
        for known in formers(self.store, &counter.charge) {
            let former = known.fingerprint;
            // A former period by which the request also counts is a counter of its own, and one that
            // another counter of the request takes over is taken.
            if wanted.iter().any(|slot| slot.owner == former)
                || self.counters.iter().any(|counter| counter.is_counted_as(former))
            {
                continue;
            }
            if self.wide(former).is_some() {
                return (Elsewhere::FormerWide(former), None);
            }
            let slot = self.store.table.find(former).filter(|(_, slot)| self.is_live(*slot));
            if let Some((place, _)) = slot {
                return (Elsewhere::Nowhere, Some((place, former)));
            }
            let owner = counter.former_owner(known);
            if asks_sketch && sketched.is_none() && self.sketched(owner).is_some() {
                sketched = Some(Elsewhere::FormerSketch(known));
            }
        }
        (sketched.unwrap_or(Elsewhere::Nowhere), None)
    }

    /// Reads what the counters say, now that nobody can change them.
    fn read_states(&mut self) {
        let mut counters = std::mem::take(&mut self.counters);
        for counter in &mut counters {
            let own = counter.slot.and_then(|held| self.live_state(held.word));
            let found = own.or_else(|| match counter.elsewhere {
                Elsewhere::Wide => self.wide(counter.fingerprint).map(Entry::parts),
                Elsewhere::FormerWide(former) => self.wide(former).map(Entry::parts),
                Elsewhere::Sketch => {
                    let owner = counter.owner();
                    self.estimate(counter, owner)
                }
                Elsewhere::FormerSketch(former) => {
                    let owner = counter.former_owner(former);
                    self.estimate(counter, owner)
                }
                Elsewhere::FormerSlot(held) => self.live_state(held.word),
                Elsewhere::Nowhere => None,
            });
            if let Some((law, state)) = found {
                let counts_alike = counter.law.counts_like(law);
                // Beside the table the limit itself is kept, and it may have been lowered.
                let is_same = matches!(counter.elsewhere, Elsewhere::Nowhere)
                    || counter.law.capacity() == law.capacity();
                // The windows of a sketch tell a log less from moment to moment: it is noted as it is.
                let is_log = counter.is_sketched() && matches!(law, Law::SlidingLog(_));
                counter.must_write |=
                    !counts_alike || !is_same || is_log || counter.is_carried_over();
                counter.before = match counts_alike {
                    true => state,
                    false => counter.law.adopt(law, state, self.now),
                };
                counter.state = counter.before.clone();
            }
        }
        self.counters = counters;
    }

    /// Releases what is held, unchanged.
    pub(super) fn let_go(&mut self) {
        let mut counters = std::mem::take(&mut self.counters);
        for counter in &mut counters {
            let former = match counter.elsewhere {
                Elsewhere::FormerSlot(held) => Some(held),
                _ => None,
            };
            for held in [counter.slot.take(), former].into_iter().flatten() {
                self.release(held, held.word);
            }
            counter.elsewhere = Elsewhere::Nowhere;
        }
        self.counters = counters;
    }

    pub(super) fn release(&self, held: Held, word: Word) {
        if let Some(slot) = self.slot(held.index) {
            slot.release(word);
        }
    }

    fn slot(&self, index: usize) -> Option<Slot<'s>> {
        self.store.table.slot(index)
    }

    fn is_live(&self, slot: Slot<'_>) -> bool {
        self.live_state(slot.read()).is_some()
    }

    fn live_state(&self, word: Word) -> Option<(&'s Law, State)> {
        let (law, state) = self.store.read(word, self.now)?;
        (!law.is_fresh(&state, self.now)).then_some((law, state))
    }

    /// A live counter beside the table.
    fn wide(&self, fingerprint: u64) -> Option<&Entry> {
        self.live(&self.shard(fingerprint)?.wide, fingerprint)
    }

    /// What a sketch says of a key, as its law counts.
    fn sketched(&self, owner: Owner<'_>) -> Option<Reading> {
        let overflow = &self.shard(owner.fingerprint)?.overflow;
        if overflow.is_empty() {
            return None;
        }
        let reading = overflow.read(owner, self.now)?;
        (!owner.law.is_fresh(&reading.state, self.now)).then_some(reading)
    }

    /// What a sketch says of the counter, or the rule's failure policy where the sketch is not to be relied on.
    fn estimate(&self, counter: &mut Counter<'c>, owner: Owner<'_>) -> Option<(&'c Law, State)> {
        let Reading { state, is_doubtful, is_adopted } = self.sketched(owner)?;
        self.store.tally.estimated();
        let law = counter.law;
        counter.fallback = is_doubtful.then_some(counter.charge.policy.on_failure);
        counter.must_write = is_adopted;
        match counter.fallback {
            // It is counted from now on, in a place of its own.
            Some(OnFailure::Open) => Some((law, law.fresh(self.now))),
            Some(OnFailure::Closed) => Some((law, law.admitted(law.capacity(), self.now))),
            _ => Some((law, state)),
        }
    }

    /// Whether a sketch counts a key, be it under a former period.
    pub(super) fn is_in_a_sketch(&self, counter: &Counter<'c>) -> bool {
        let mut formers = formers(self.store, &counter.charge);
        self.sketched(counter.owner()).is_some()
            || formers.any(|former| self.sketched(counter.former_owner(former)).is_some())
    }

    fn live<'e>(&self, entries: &'e [Entry], id: u64) -> Option<&'e Entry> {
        let entry = entries.get(position(entries, id)?)?;
        entry.is_live(self.now).then_some(entry)
    }

    fn shard(&self, fingerprint: u64) -> Option<&Shard> {
        let number = self.store.shards.of(fingerprint);
        let place = self.shards.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        self.shards.get(place).map(|(_, shard)| &**shard)
    }

    pub(super) fn shard_mut(&mut self, fingerprint: u64) -> Option<&mut Shard> {
        let number = self.store.shards.of(fingerprint);
        let place = self.shards.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        self.shards.get_mut(place).map(|(_, shard)| &mut **shard)
    }
}

fn lock<'s>(
    store: &'s Counters,
    counters: &[Counter<'_>],
) -> SmallVec<[(usize, MutexGuard<'s, Shard>); 2]> {
    let mut numbers: SmallVec<[usize; 4]> = SmallVec::new();
    for counter in counters {
        numbers.push(store.shards.of(counter.fingerprint));
        numbers.extend(
            formers(store, &counter.charge).map(|former| store.shards.of(former.fingerprint)),
        );
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter().map(|number| (number, store.shards.lock(number))).collect()
}

/// Who a counter was under the periods its limit had before.
pub(super) fn formers<'s>(
    store: &'s Counters,
    charge: &Charge<'s>,
) -> impl Iterator<Item = Former> + use<'s> {
    let (key, period) = (charge.key, charge.limit.period());
    let others = charge.former.iter().map(Limit::period).filter(move |it| *it != period);
    others.map(move |period| Former {
        fingerprint: store.hash.counter(key, period),
        scope: Scope::new(key.rule(), period),
    })
}
