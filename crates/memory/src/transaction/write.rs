//! Writing what was decided, and letting go.

use smallvec::SmallVec;
use tollgate_core::{Charge, Micros, Now, Timestamp};

use super::{
    Transaction,
    counter::{Counter, Elsewhere},
    find::formers,
};
use crate::{
    overflow::{bucket, drained_in},
    shard::{Entry, position},
    word::Word,
};

impl<'c> Transaction<'_, 'c> {
    /// Writes every counter that changed and releases every slot that is held.
    pub(super) fn write_all(&mut self) {
        // Slots first: giving a counter a place may have to wait for a slot, and nobody may wait for
        // one while holding another.
        let mut homeless: SmallVec<[Counter<'c>; 2]> = SmallVec::new();
        while let Some(counter) = self.counters.pop() {
            homeless.extend(self.write(counter));
        }
        for counter in homeless {
            self.give_place(&counter);
        }
    }

    /// Drops what is left under former periods. It has run out, or it would have been found; but a
    /// clock that is set back would bring it back.
    pub(super) fn forget_formers(&mut self, charges: &[Charge<'c>]) {
        for former in charges.iter().flat_map(|charge| formers(self.store, charge)) {
            let former = former.fingerprint;
            self.remove_wide(former);
            if let Some((_, slot)) = self.store.table.find(former)
                && let Some(word) = slot.hold(former)
            {
                slot.release(word.cleared());
            }
        }
    }

    /// Writes a counter where it was found; gives it back if it needs a place.
    fn write(&mut self, counter: Counter<'c>) -> Option<Counter<'c>> {
        let own = counter.slot;
        if counter.state == counter.before && !counter.must_write {
            own.inspect(|held| self.release(*held, held.word));
            if let Elsewhere::FormerSlot(held) = counter.elsewhere {
                self.release(held, held.word);
            }
            return None;
        }
        match counter.elsewhere {
            Elsewhere::Wide => {
                own.inspect(|held| self.release(*held, held.word));
                self.write_wide(&counter);
                return None;
            }
            Elsewhere::FormerSlot(held) => self.release(held, held.word.cleared()),
            Elsewhere::FormerWide(former) => self.remove_wide(former),
            Elsewhere::Sketch | Elsewhere::FormerSketch(_) | Elsewhere::Nowhere => {}
        }
        // What has run out beside the table must not be found again later.
        self.remove_wide(counter.fingerprint);
        let Some(held) = own else {
            return Some(counter);
        };
        let word = self.packed(&counter, held.word);
        self.release(held, word.unwrap_or(held.word.cleared()));
        word.is_none().then_some(counter)
    }

    fn packed(&self, counter: &Counter<'c>, hands: Word) -> Option<Word> {
        let hands = match counter.is_marked {
            true => hands.marked(),
            false => hands,
        };
        let state = (counter.law, &counter.state);
        self.store.pack(state, counter.scope(), hands, self.now)
    }

    /// Updates a counter beside the table, or drops it if nothing is counted any more.
    fn write_wide(&mut self, counter: &Counter<'c>) {
        let (store, now) = (self.store, self.now);
        let budget = store.shards.log_budget(now);
        let mut entry = entry(counter, now);
        let fingerprint = counter.fingerprint;
        let Some(shard) = self.shard_mut(fingerprint) else {
            return;
        };
        let Some(place) = position(&shard.wide, fingerprint) else {
            return;
        };
        let former = shard.wide.swap_remove(place);
        entry.kept_until = entry.kept_until.max(former.kept_until);
        if !entry.is_live(now) {
            budget.give_back(&former.state);
            return;
        }
        budget.exchange(&former.state, &mut entry.state);
        shard.wide.push(entry);
    }

    fn remove_wide(&mut self, fingerprint: u64) {
        let (store, now) = (self.store, self.now);
        if let Some(shard) = self.shard_mut(fingerprint)
            && let Some(place) = position(&shard.wide, fingerprint)
        {
            store.shards.log_budget(now).give_back(&shard.wide.swap_remove(place).state);
        }
    }

    /// Gives a counter that has none a place of its own, in the table or beside it. Another may have to make
    /// room, whose count then goes to a sketch.
    fn give_place(&mut self, counter: &Counter<'c>) {
        let (store, now) = (self.store, self.now);
        if counter.law.is_fresh(&counter.state, now) && !counter.is_marked {
            return;
        }
        let key = (counter.fingerprint, Some(counter.scope().rule));
        let word = self.packed(counter, Word::EMPTY);
        // Where the table is crowded but not full there is room beside it.
        let spares =
            self.shard_mut(counter.fingerprint).is_some_and(|shard| shard.has_room_to_spare());
        if word.is_some_and(|word| store.take_slot(key, word, now, (&mut self.shards, spares))) {
            return;
        }
        let budget = store.shards.log_budget(now);
        let words_max = store.shards.overflow_words();
        let mut entry = entry(counter, now);
        budget.exchange(&counter.law.fresh(now), &mut entry.state);
        if let Some(shard) = self.shard_mut(counter.fingerprint)
            && shard.insert_wide(entry, budget, words_max, now)
        {
            store.tally.evicted();
        }
    }
}

/// A counter as it is kept beside the table.
fn entry(counter: &Counter<'_>, now: Now) -> Entry {
    Entry {
        id: counter.fingerprint,
        scope: Some(counter.scope()),
        law: counter.law.clone(),
        state: counter.state.clone(),
        kept_until: match counter.is_marked {
            true => now.steady.saturating_add(longest_life(counter)),
            false => Timestamp::EPOCH,
        },
    }
}

/// How long a sketch may count what a key has used until now.
fn longest_life(counter: &Counter<'_>) -> Micros {
    let periods = counter.charge.limit.period().length().get().saturating_mul(3);
    let drained = bucket(counter.law).map_or(0, |bucket| {
        drained_in(bucket.units_per_micro(), bucket.units_per_token(), bucket.capacity())
    });
    Micros::new(periods.max(drained))
}
