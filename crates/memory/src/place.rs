//! Words and slots for counters, and what becomes of a counter whose slot is taken.

use std::sync::MutexGuard;

use tollgate_core::{Law, Now, RuleId, State};

use crate::{
    class::Scope,
    overflow::Owner,
    pack::Packed,
    shard::Shard,
    store::Counters,
    sync::wait,
    table::{Candidate, Kind},
    word::Word,
};

/// How often another slot is tried before the key is kept beside the table.
const TURNS_MAX: u32 = 64;

/// The shards that a request has locked, by number, ascending.
type Locked<'s> = [(usize, MutexGuard<'s, Shard>)];

impl Counters {
    /// A state as a word in the hands `hands` is in; `None` if it does not fit one. Nothing counted is
    /// nothing kept, unless the word is marked.
    pub(crate) fn pack(
        &self,
        (law, state): (&Law, &State),
        scope: Scope,
        hands: Word,
        now: Now,
    ) -> Option<Word> {
        let class = self.classes.find_or_give(code(law)?, Some(scope), law.capacity())?;
        if law.is_fresh(state, now) && !hands.is_marked() {
            return Some(hands.cleared());
        }
        let payload = match (law, state) {
            (Law::TokenBucket(law), State::Bucket(state)) => law.pack(*state, now),
            (Law::LeakyBucket(law), State::Bucket(state)) => law.pack(*state, now),
            (Law::FixedWindow(law), State::Fixed(state)) => law.pack(*state, now),
            (Law::SlidingWindow(law), State::Sliding(state)) => law.pack(*state, now),
            _ => None,
        }?;
        Some(hands.with_state(class, payload))
    }

    /// Gives a slot to a key of a rule that has none; `false` if none can be had, or none without taking it
    /// from a live counter, which `spares` forbids. The caller sees to it that nobody else does the same for
    /// this key meanwhile.
    ///
    /// A live counter is taken only under its own shard's lock, so that a transaction that looks for it finds
    /// it either in the slot or in the sketch. That lock is not waited for, since others are held.
    pub(crate) fn take_slot(
        &self,
        key: (u64, Option<RuleId>),
        state: Word,
        now: Now,
        (locked, spares): (&mut Locked<'_>, bool),
    ) -> bool {
        for turn in 0..TURNS_MAX {
            let Some(candidate) = self.table.candidate(key, &self.classes, now, turn) else {
                return false;
            };
            let is_taken = match candidate.kind {
                Kind::Live if spares => return false,
                Kind::Live => self.take_live(&candidate, (key.0, state), now, locked),
                Kind::RunOut | Kind::New => candidate.claim(key.0, state),
            };
            if is_taken {
                if candidate.kind == Kind::New {
                    self.tally.added();
                }
                return true;
            }
            wait(turn);
        }
        false
    }

    fn take_live(
        &self,
        candidate: &Candidate<'_>,
        (fingerprint, state): (u64, Word),
        now: Now,
        locked: &mut Locked<'_>,
    ) -> bool {
        let number = self.shards.of(candidate.owner());
        let own = locked.binary_search_by_key(&number, |(number, _)| *number);
        let own = own.ok().and_then(|place| locked.get_mut(place));
        let mut other = None;
        let shard = match own {
            Some((_, shard)) => &mut **shard,
            None => match self.shards.try_lock(number) {
                Some(shard) => &mut **other.insert(shard),
                None => return false,
            },
        };
        if !candidate.claim(fingerprint, state) {
            return false;
        }
        self.give_up(candidate.owner(), candidate.word(), shard, now);
        self.tally.evicted();
        true
    }

    /// Leaves what a key has used to a sketch in its shard.
    fn give_up(&self, fingerprint: u64, word: Word, shard: &mut Shard, now: Now) {
        let Some((law, state)) = self.read(word, now) else {
            return;
        };
        let owner = Owner {
            fingerprint,
            scope: self.classes.scope(word.class()),
            law,
            capacity: self.classes.capacity(word.class()),
        };
        let words_max = self.shards.overflow_words();
        if !cfg!(mutant = "what-is-given-up-is-forgotten") {
            shard.overflow.add(owner, &state, words_max, now);
        }
    }
}

fn code(law: &Law) -> Option<crate::class::Code> {
    match law {
        Law::TokenBucket(bucket) => bucket.code(),
        Law::LeakyBucket(bucket) => bucket.code(),
        Law::FixedWindow(window) => window.code(),
        Law::SlidingWindow(window) => window.code(),
        _ => None,
    }
}
