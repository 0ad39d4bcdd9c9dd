//! The tokens of a key in one purse, or in several: threads that spend from a hot key stay out of each other's way.

use std::{
    cell::Cell,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use super::{
    line::{Line, Margin},
    purse::{From, Purse, Taken, Until},
};

/// Purses of a hot key besides its own.
const PARTS: usize = 8;
/// A thread takes this part of what there is into a purse of its own.
const PORTION: u64 = 16;

/// A purse on a line of the processor's cache of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Part(Purse);

/// The purses of a key that was hot once.
#[derive(Debug, Default)]
pub(crate) struct Parts(OnceLock<Box<[Part; PARTS]>>);

/// All purses of a key.
#[derive(Clone, Copy)]
pub(crate) struct Wallet<'a> {
    own: &'a Purse,
    parts: &'a [Part],
}

impl<'a> Wallet<'a> {
    pub(crate) fn of(line: &'a Line, margin: &'a Margin) -> Self {
        let parts = margin.parts.0.get().filter(|_| line.is_split());
        Self { own: &line.purse, parts: parts.map_or(&[], |parts| parts.as_slice()) }
    }

    fn purses(&self) -> impl Iterator<Item = &'a Purse> {
        std::iter::once(self.own).chain(self.parts.iter().map(|part| &part.0))
    }

    pub(crate) fn tokens(&self) -> u64 {
        self.purses().fold(0, |sum, purse| sum.saturating_add(purse.tokens()))
    }

    /// Begins a new epoch; says how many tokens there are.
    pub(crate) fn report(&self) -> u64 {
        self.purses().fold(0, |sum, purse| sum.saturating_add(purse.report()))
    }

    /// The same, and none are left.
    pub(crate) fn empty(&self) -> u64 {
        self.purses().fold(0, |sum, purse| sum.saturating_add(purse.empty()))
    }

    /// Gives up to so many up; says how many.
    pub(crate) fn give_up(&self, tokens: u64) -> u64 {
        self.purses().fold(0, |sum, purse| sum + purse.give_up(tokens - sum))
    }

    /// Takes for a thread from its own part. If that is empty it is filled, unless somebody reports just then.
    pub(crate) fn take(&self, tokens: u64, fill: impl FnOnce(&dyn Fn())) -> Option<Taken> {
        let place = thread() % PARTS;
        let Some(Part(part)) = self.parts.get(place) else {
            return self.own.take(tokens);
        };
        let from = From::Part(place);
        if let Some(taken) = part.take(tokens) {
            return Some(Taken { from, ..taken });
        }
        fill(&|| {
            let own = self.own.tokens();
            if own >= tokens {
                part.add(self.own.give_up((own / PORTION).max(tokens)));
            }
        });
        match part.take(tokens) {
            Some(taken) => Some(Taken { from, ..taken }),
            None => self.own.take(tokens),
        }
    }

    pub(crate) fn put_back(&self, taken: Taken, tokens: u64, until: Until) {
        let purse = match taken.from {
            From::Own => Some(self.own),
            From::Part(place) => self.parts.get(place).map(|part| &part.0),
        };
        if let Some(purse) = purse {
            purse.put_back(taken, tokens, until);
        }
    }

    /// Tokens in the purse from which all others are filled.
    pub(crate) fn in_stock(&self) -> u64 {
        self.own.tokens()
    }

    /// All of it in one purse again.
    fn gather(&self) {
        for Part(part) in self.parts {
            self.own.add(part.empty());
        }
    }
}

impl Parts {
    fn prepare(&self) {
        let parts = self.0.get_or_init(Default::default);
        for Part(part) in parts.iter() {
            part.empty();
        }
    }
}

/// Splits a key that got hot, or makes one of it again. Its holder must be held.
pub(super) fn split(line: &Line, margin: &Margin, is_hot: IsHot) {
    match (is_hot, line.is_split()) {
        (IsHot::Yes, false) if !line.is_watched() => {
            margin.parts.prepare();
            line.set_split();
        }
        (IsHot::No, true) => {
            let wallet = Wallet::of(line, margin);
            line.set_whole();
            wallet.gather();
        }
        _ => {}
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IsHot {
    Yes,
    No,
}

/// A number for this thread.
#[inline]
fn thread() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: Cell<usize> = Cell::new(NEXT.fetch_add(1, Relaxed));
    }
    NUMBER.with(Cell::get)
}

#[cfg(test)]
mod tests {
    use std::thread::scope;

    use super::*;

    // Proves: C4
    #[test]
    fn threads_that_spend_from_parts_spend_no_more_than_there_is() {
        const TOKENS: u64 = 100_000;
        let (line, margin) = (Line::default(), Margin::default());
        split(&line, &margin, IsHot::Yes);
        line.purse.add(TOKENS);
        let lock = std::sync::Mutex::new(());
        let fill = |fill: &dyn Fn()| {
            if let Ok(_held) = lock.try_lock() {
                fill();
            }
        };
        let take = || Wallet::of(&line, &margin).take(1, fill);
        let spend = || {
            let mut spent = 0;
            while let Some(taken) = take() {
                spent += 1;
                // Some think better of it.
                if spent % 7 == 0 {
                    Wallet::of(&line, &margin).put_back(taken, 1, Until::Report);
                    spent -= u64::from(take().is_none());
                }
            }
            spent
        };
        let spent: u64 = scope(|threads| {
            let all: Vec<_> = (0..4).map(|_| threads.spawn(spend)).collect();
            all.into_iter().map(|one| one.join().unwrap()).sum()
        });
        let left = Wallet::of(&line, &margin).tokens();
        assert_eq!(spent + left, TOKENS);
        let wallet = Wallet::of(&line, &margin);
        assert_eq!(wallet.give_up(left), left);
        split(&line, &margin, IsHot::No);
        assert_eq!(Wallet::of(&line, &margin).tokens(), 0);
    }
}
