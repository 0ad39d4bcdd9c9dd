//! Writing what was decided, and letting go.

use smallvec::SmallVec;
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
    table::{Evicted, Taken},
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
            match self.give_place(&counter) {
                Some(evicted) => self.store.tally.evicted(evicted),
                None => self.share(counter),
            }
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
            Elsewhere::Wide => {
                own.inspect(|held| self.release(*held, held.word));
                self.write_wide(counter);
                return None;
            }
            Elsewhere::FormerSlot(held) => self.release(held, held.word.cleared()),
            Elsewhere::FormerWide(former) => self.remove_wide(former),
            // Whoever shares is given a place of its own as soon as there is one, with what all who
            // share have used: too much for one, so the limit holds.
            Elsewhere::Shared | Elsewhere::Nowhere => {}
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
    fn write_wide(&mut self, counter: Counter<'c>) {
        let (store, now) = (self.store, self.now);
        let budget = store.shards.log_budget(now);
        let Counter {
            fingerprint,
            law,
            state,
            ..
        } = counter;
        let mut entry = Entry {
            id: fingerprint,
            law: law.clone(),
            state,
        };
        let Some(shard) = self.shard_mut(fingerprint) else {
            return;
        };
        let Some(place) = position(&shard.wide, fingerprint) else {
            return;
        };
        let former = shard.wide.swap_remove(place);
        if entry.law.is_fresh(&entry.state, now) {
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
            store
                .shards
                .log_budget(now)
                .give_back(&shard.wide.swap_remove(place).state);
        }
    }

    /// Gives a counter that has none a place of its own, in the table or beside it; `None` if every place
    /// within reach belongs to a key that uses half of its limit or more.
    fn give_place(&mut self, counter: &Counter<'c>) -> Option<Evicted> {
        let (store, now) = (self.store, self.now);
        let Counter {
            fingerprint,
            law,
            ref state,
            ..
        } = *counter;
        if law.is_fresh(state, now) {
            return Some(Evicted::default());
        }
        if let Some(word) = store.pack(law, state, Word::EMPTY, now) {
            match store.table.take(fingerprint, word, &store.classes, now) {
                Taken::New => store.tally.added(),
                Taken::RunOut => {}
                Taken::Evicted(_) if cfg!(mutant = "eviction-is-not-counted") => {}
                Taken::Evicted(evicted) => return Some(evicted),
                Taken::NoRoom => return self.give_place_beside(counter),
            }
            return Some(Evicted::default());
        }
        self.give_place_beside(counter)
    }

    fn give_place_beside(&mut self, counter: &Counter<'c>) -> Option<Evicted> {
        let now = self.now;
        let budget = self.store.shards.log_budget(now);
        let (id, law) = (counter.fingerprint, counter.law.clone());
        let mut entry = Entry {
            id,
            law,
            state: counter.state.clone(),
        };
        budget.exchange(&counter.law.fresh(now), &mut entry.state);
        let refused = match self.shard_mut(id)?.insert_wide(entry, budget, now) {
            Ok(evicted) => return Some(evicted),
            Err(refused) => refused,
        };
        budget.give_back(&refused.state);
        None
    }

    /// Counts a key by the counter that the keys of its limit share.
    fn share(&mut self, counter: Counter<'c>) {
        let (store, now) = (self.store, self.now);
        let id = counter.shared_id(store);
        let budget = store.shards.log_budget(now);
        let Counter {
            fingerprint,
            law,
            state,
            elsewhere,
            ..
        } = counter;
        let entry = Entry {
            id,
            law: law.clone(),
            state,
        };
        let Some(shard) = self.shard_mut(fingerprint) else {
            return;
        };
        let evicted = match elsewhere {
            Elsewhere::Shared => shard.replace_shared(entry, budget, now),
            _ => {
                store.tally.shared();
                shard.share(entry, budget, now)
            }
        };
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
