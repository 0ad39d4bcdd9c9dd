//! Writing what was decided, and letting go.

use tollgate_core::{Charge, Law, Now, State};

use super::{
    Transaction,
    counter::{Counter, Elsewhere, Held},
    find::formers,
};
use crate::{
    pack::Packed,
    shard::{Entry, position},
    store::Counters,
    table::Taken,
    word::Word,
};

impl<'c> Transaction<'_, 'c> {
    /// Writes every counter that changed and releases every slot that is held.
    pub(super) fn write_all(&mut self) {
        let counters = std::mem::take(&mut self.counters);
        // Slots first: giving a counter a place may have to wait for a slot, and nobody may wait for
        // one while holding another.
        let homeless: smallvec::SmallVec<[Counter<'c>; 2]> = counters
            .into_iter()
            .filter_map(|counter| self.write(counter))
            .collect();
        for counter in homeless {
            self.give_place(counter);
        }
    }

    /// Drops what is left under former periods. It has run out, or it would have been found; but a
    /// clock that is set back would bring it back.
    pub(super) fn forget_formers(&mut self, charges: &[Charge<'c>]) {
        for former in charges
            .iter()
            .flat_map(|charge| formers(self.store, charge))
        {
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
            own.inspect(|held| self.release(*held, self.with_share(*held, &counter)));
            if let Elsewhere::FormerSlot(held) = counter.elsewhere {
                self.release(held, held.word);
            }
            return None;
        }
        match counter.elsewhere {
            Elsewhere::Wide | Elsewhere::Shared => {
                own.inspect(|held| self.release(*held, held.word));
                self.write_beside(counter);
                return None;
            }
            Elsewhere::FormerSlot(held) => self.release(held, held.word.cleared()),
            Elsewhere::FormerWide(former) => self.remove_wide(former),
            Elsewhere::Nowhere => {}
        }
        // What has run out beside the table must not be found again later.
        self.remove_wide(counter.fingerprint);
        let Some(held) = own else {
            return Some(counter);
        };
        let word = self
            .store
            .pack(counter.law, &counter.state, held.word, self.now);
        self.release(held, word.unwrap_or(held.word.cleared()));
        word.is_none().then_some(counter)
    }

    /// The word of a counter that did not change, as used as it is now: a lowered limit makes it more.
    fn with_share(&self, held: Held, counter: &Counter<'c>) -> Word {
        if !matches!(counter.elsewhere, Elsewhere::Nowhere) {
            return held.word;
        }
        let packed = self
            .store
            .pack(counter.law, &counter.state, held.word, self.now);
        let is_more = |packed: &Word| {
            packed.class() == held.word.class() && packed.share() > held.word.share()
        };
        packed.filter(is_more).unwrap_or(held.word)
    }

    /// Updates a counter beside the table, or drops it if nothing is counted any more.
    fn write_beside(&mut self, counter: Counter<'c>) {
        let (store, now) = (self.store, self.now);
        let budget = store.shards.log_budget(now);
        let is_shared = matches!(counter.elsewhere, Elsewhere::Shared);
        let id = if is_shared {
            counter.shared_id(store)
        } else {
            counter.fingerprint
        };
        let Some(shard) = self.shard_mut(counter.fingerprint) else {
            return;
        };
        let entries = if is_shared {
            &mut shard.shared
        } else {
            &mut shard.wide
        };
        let Some(place) = position(entries, id) else {
            return;
        };
        let mut entry = Entry {
            id,
            law: counter.law.clone(),
            state: counter.state,
        };
        let former = entries.swap_remove(place);
        if entry.law.is_fresh(&entry.state, now) {
            budget.give_back(&former.state);
            return;
        }
        budget.exchange(&former.state, &mut entry.state);
        entries.push(entry);
    }

    fn remove_wide(&mut self, fingerprint: u64) {
        let (store, now) = (self.store, self.now);
        if let Some(shard) = self.shard_mut(fingerprint)
            && let Some(place) = position(&shard.wide, fingerprint)
        {
            store
                .shards
                .log_budget(now)
                .give_back(&shard.wide.swap_remove(place).state);
        }
    }

    /// A place for a counter that has none: a slot, beside the table, or shared with others.
    fn give_place(&mut self, counter: Counter<'c>) {
        let (store, now) = (self.store, self.now);
        let Counter {
            fingerprint,
            law,
            ref state,
            ..
        } = counter;
        if law.is_fresh(state, now) {
            return;
        }
        if let Some(word) = store.pack(law, state, Word::EMPTY, now) {
            match store.table.take(fingerprint, word, &store.classes, now) {
                Taken::New => return store.tally.added(),
                Taken::RunOut => return,
                Taken::Evicted(evicted) => return store.tally.evicted(evicted),
                Taken::NoRoom => {}
            }
        }
        self.give_place_beside(counter);
    }

    /// Beside the table, or, where everybody uses half of its limit or more, in a counter that keys share.
    fn give_place_beside(&mut self, counter: Counter<'c>) {
        let (store, now) = (self.store, self.now);
        let shared_id = counter.shared_id(store);
        let budget = store.shards.log_budget(now);
        let Counter {
            fingerprint,
            law,
            mut state,
            ..
        } = counter;
        budget.exchange(&law.fresh(now), &mut state);
        let entry = Entry {
            id: fingerprint,
            law: law.clone(),
            state,
        };
        let Some(shard) = self.shard_mut(fingerprint) else {
            return;
        };
        let evicted = shard
            .insert_wide(entry, budget, now)
            .unwrap_or_else(|entry| {
                store.tally.shared();
                shard.share(
                    Entry {
                        id: shared_id,
                        ..entry
                    },
                    budget,
                    now,
                )
            });
        store.tally.evicted(evicted);
    }
}

impl Counters {
    /// The class of a limit's states; `None` if they do not fit a slot.
    pub(crate) fn class(&self, law: &Law) -> Option<u16> {
        let code = match law {
            Law::TokenBucket(bucket) => bucket.code(),
            Law::LeakyBucket(bucket) => bucket.code(),
            Law::FixedWindow(window) => window.code(),
            Law::SlidingWindow(window) => window.code(),
            _ => None,
        };
        self.classes.find_or_give(code?)
    }

    /// A state as a word in the hands `hands` is in; `None` if it does not fit one.
    pub(crate) fn pack(&self, law: &Law, state: &State, hands: Word, now: Now) -> Option<Word> {
        let class = self.class(law)?;
        if law.is_fresh(state, now) {
            return Some(hands.cleared());
        }
        let (share, payload) = match (law, state) {
            (Law::TokenBucket(law), State::Bucket(state)) => pack(law, *state, now),
            (Law::LeakyBucket(law), State::Bucket(state)) => pack(law, *state, now),
            (Law::FixedWindow(law), State::Fixed(state)) => pack(law, *state, now),
            (Law::SlidingWindow(law), State::Sliding(state)) => pack(law, *state, now),
            _ => None,
        }?;
        Some(hands.with_state(class, share, payload))
    }
}

fn pack<A: Packed>(law: &A, state: A::State, now: Now) -> Option<(u64, u64)> {
    Some((law.share(state, now), law.pack(state, now)?))
}
