//! One slot of the table, and the protocol by which threads share it.
//!
//! - The fingerprint says whose slot it is; zero is nobody's. It changes only while the slot is held
//!   and never back to zero.
//! - The word is changed by whoever swaps it, unless it is held; then only by the holder.
//! - When a slot changes hands its word flips, so a swap that was prepared for the former owner fails.
//!   (Two changes of hands while one thread prepares a swap, ending in the very same word, would pass:
//!   the request is then counted against the new owner instead of a counter that was evicted anyway.)
//!
//! The model checker runs this file: see `tests/it/loom.rs`.

use super::{
    sync::{AtomicU64, Ordering, wait},
    word::Word,
};

/// A view of one slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<'a> {
    pub(crate) fingerprint: &'a AtomicU64,
    pub(crate) word: &'a AtomicU64,
}

impl Slot<'_> {
    /// Whose slot this is; zero if nobody's.
    #[inline]
    pub(crate) fn owner(self) -> u64 {
        self.fingerprint.load(Ordering::Acquire)
    }

    /// The word, once nobody holds the slot.
    #[inline]
    pub(crate) fn read(self) -> Word {
        let mut turn = 0;
        loop {
            let word = Word::from_bits(self.word.load(Ordering::Acquire));
            if !word.is_held() || cfg!(mutant = "slot-read-ignores-a-hold") {
                return word;
            }
            wait(turn);
            turn += 1;
        }
    }

    /// The word of `owner`, or `None` if the slot is no longer its own.
    #[inline]
    pub(crate) fn read_of(self, owner: u64) -> Option<Word> {
        let word = self.read();
        // In this order: if the slot is still the owner's now, it was when the word was read.
        (self.owner() == owner).then_some(word)
    }

    /// Puts `new` in the place of `seen`; fails if the word has changed since it was read.
    #[inline]
    pub(crate) fn swap(self, seen: Word, new: Word) -> bool {
        let (seen, new) = (seen.bits(), new.bits());
        self.word.compare_exchange(seen, new, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Holds the slot against everybody, or `None` if it is no longer the owner's. The word returned
    /// must be given to [`Slot::release`], as it is or changed.
    pub(crate) fn hold(self, owner: u64) -> Option<Word> {
        loop {
            let word = self.read_of(owner)?;
            if self.swap(word, word.held()) {
                if self.owner() == owner || cfg!(mutant = "slot-hold-does-not-look-again") {
                    return Some(word);
                }
                self.release(word);
            }
        }
    }

    /// Ends a hold.
    pub(crate) fn release(self, word: Word) {
        #[cfg(mutant = "slot-release-relaxed")]
        return self.word.store(word.bits(), Ordering::Relaxed);
        #[cfg(not(mutant = "slot-release-relaxed"))]
        self.word.store(word.bits(), Ordering::Release);
    }

    /// Gives a slot that was seen with this owner and word to another; fails if it has changed since.
    pub(crate) fn claim(self, seen: (u64, Word), owner: u64, state: Word) -> bool {
        let (former_owner, word) = seen;
        if !self.swap(word, word.held()) {
            return false;
        }
        if self.owner() != former_owner && !cfg!(mutant = "slot-claim-does-not-look-again") {
            self.release(word);
            return false;
        }
        // Held before the owner changes: whoever sees the new owner waits for its word.
        self.fingerprint.store(owner, Ordering::Release);
        self.release(state.succeeding(word));
        true
    }
}
