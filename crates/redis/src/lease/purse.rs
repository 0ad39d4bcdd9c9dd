//! Tokens that decisions spend.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Acquire},
};

/// Tokens, and in the upper bits an epoch: each report of what was spent begins a new one, so that nobody puts back
/// what Redis has been told was spent.
#[derive(Debug, Default)]
pub(crate) struct Purse(AtomicU64);

const TOKENS_BITS: u32 = 36;
/// The upper half of an epoch counts how often the purse was emptied, the lower how often it was reported since. Both
/// begin again after 16,384: no request takes so long.
const REPORTS: u64 = 0x3fff;

/// For how long what was taken can be put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// It is reported: then it is spent, whatever becomes of it.
    Report,
    /// The purse is emptied: what was counted in a window stays counted there, so it does no harm that it was reported.
    Emptied,
}

impl Until {
    const fn is_over(self, then: u64, now: u64) -> bool {
        match self {
            Self::Report => then != now,
            Self::Emptied => then & !REPORTS != now & !REPORTS,
        }
    }
}

/// What was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) epoch: u64,
    /// Tokens that are left.
    pub(crate) left: u64,
    /// Where.
    pub(super) from: From,
}

/// Which purse of a key tokens were taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    /// Its own.
    Own,
    /// One of several, while it is hot.
    Part(usize),
}

impl Purse {
    /// The most that it holds.
    pub(crate) const MAX: u64 = (1 << TOKENS_BITS) - 1;

    pub(crate) fn tokens(&self) -> u64 {
        self.0.load(Acquire) & Self::MAX
    }

    /// The present epoch.
    pub(crate) fn epoch(&self) -> u64 {
        self.0.load(Acquire) >> TOKENS_BITS
    }

    /// Takes so many, or none.
    #[inline]
    pub(crate) fn take(&self, tokens: u64) -> Option<Taken> {
        let mut word = self.0.load(Acquire);
        loop {
            let left = (word & Self::MAX).checked_sub(tokens)?;
            let epoch = word >> TOKENS_BITS;
            match self.0.compare_exchange_weak(word, word - tokens, AcqRel, Acquire) {
                Ok(_) => {
                    let from = From::Own;
                    return Some(Taken { epoch, left, from });
                }
                Err(now) => word = now,
            }
        }
    }

    /// Puts back what was taken, unless it was reported as spent meanwhile: then it is.
    pub(crate) fn put_back(&self, taken: Taken, tokens: u64, until: Until) {
        let put = |word: u64| {
            let is_over = until.is_over(taken.epoch, word >> TOKENS_BITS);
            let sum = (word & Self::MAX).checked_add(tokens)?;
            (!is_over && sum <= Self::MAX).then_some(word + tokens)
        };
        // If it is another epoch, they are spent.
        let _spent = self.0.fetch_update(AcqRel, Acquire, put);
    }

    /// Adds what was granted; says how much of it there was room for.
    pub(crate) fn add(&self, tokens: u64) -> u64 {
        let room = |word: u64| tokens.min(Self::MAX - (word & Self::MAX));
        let add = |word: u64| word.checked_add(room(word));
        self.0.fetch_update(AcqRel, Acquire, add).map_or(0, room)
    }

    /// Begins a new epoch; says how many tokens there are.
    pub(crate) fn report(&self) -> u64 {
        let next = |epoch: u64| (epoch & !REPORTS) | (epoch.wrapping_add(1) & REPORTS);
        self.renew(next, |tokens| tokens)
    }

    /// The same, and none are left.
    pub(crate) fn empty(&self) -> u64 {
        let next = |epoch: u64| (epoch & !REPORTS).wrapping_add(REPORTS + 1);
        self.renew(next, |_| 0)
    }

    /// Gives up to so many up, in the present epoch; says how many.
    pub(crate) fn give_up(&self, tokens: u64) -> u64 {
        let some = |word: u64| tokens.min(word & Self::MAX);
        let take = |word: u64| word.checked_sub(some(word));
        self.0.fetch_update(AcqRel, Acquire, take).map_or(0, some)
    }

    fn renew(&self, epoch: impl Fn(u64) -> u64, keep: impl Fn(u64) -> u64) -> u64 {
        let next = |word: u64| {
            let epoch = epoch(word >> TOKENS_BITS);
            Some((epoch << TOKENS_BITS) | keep(word & Self::MAX))
        };
        self.0.fetch_update(AcqRel, Acquire, next).map_or(0, |word| word & Self::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_reported_as_spent_is_not_put_back() {
        let purse = Purse::default();
        assert_eq!(purse.take(1), None);
        assert_eq!(purse.add(10), 10);
        let early = purse.take(3).unwrap();
        let undone = purse.take(2).unwrap();
        assert_eq!(undone.left, 5);
        purse.put_back(undone, 2, Until::Report);
        assert_eq!(purse.report(), 7);
        purse.put_back(early, 3, Until::Report);
        assert_eq!(purse.tokens(), 7);
        purse.put_back(early, 3, Until::Emptied);
        assert_eq!(purse.empty(), 10);
        purse.put_back(early, 3, Until::Emptied);
        assert_eq!((purse.tokens(), purse.add(7)), (0, 7));
        assert_eq!((purse.give_up(4), purse.give_up(9)), (4, 3));
        assert_eq!(purse.add(u64::MAX), Purse::MAX);
        assert_eq!(purse.empty(), Purse::MAX);
        assert_eq!(purse.tokens(), 0);
        let many = (0..70_000).map(|_| purse.report());
        assert!(many.into_iter().all(|tokens| tokens == 0), "epochs begin again");
    }
}
