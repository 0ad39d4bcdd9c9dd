//! The table of slots: lines of four, probed in order, never rebuilt.
//!
//! A key lives within [`PROBE_LINES`] lines of its home. Slots are taken but never emptied again, so a
//! search ends at the first slot nobody ever took. What has run out is given to the next key that
//! comes by; there is no sweep.

use std::iter::successors;

use tollgate_core::{Law, Now, State};

use crate::{
    class::Classes,
    pack::Packed,
    pages::ask_for_large,
    slot::Slot,
    sync::{AtomicU64, Ordering, wait},
    word::Word,
};

/// Slots in a cache line.
const LINE_SLOTS: usize = 4;
const LINE_CELLS: usize = 2 * LINE_SLOTS;
const LINE_BYTES: usize = 64;

/// How far from its home a key may live.
pub(crate) const PROBE_LINES: usize = 16;

/// The share from which a key is never evicted for another: half of its limit.
pub(crate) const HALF_USED: u64 = 2;

#[derive(Debug)]
pub(crate) struct Table {
    cells: Box<[AtomicU64]>,
    /// Cells before the first full cache line.
    skipped: usize,
    lines: usize,
}

/// What a table gave up to make room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evicted {
    pub(crate) keys: u64,
    pub(crate) cost: u64,
}

/// What became of an attempt to take a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// A slot nobody ever had.
    New,
    /// A slot whose counter had run out.
    RunOut,
    /// A slot whose counter was still live.
    Evicted(Evicted),
    /// Every slot within reach belongs to a key that uses half of its limit or more.
    NoRoom,
}

/// A slot that could be taken.
struct Candidate<'a> {
    slot: Slot<'a>,
    seen: (u64, Word),
    taken: Taken,
}

impl Table {
    /// Room for `keys` keys and two fifths more. Memory is committed as it is touched.
    pub(crate) fn new(keys: usize) -> Self {
        let slots = keys + keys * 2 / 5;
        let lines = slots.div_ceil(LINE_SLOTS).max(PROBE_LINES);
        let mut cells: Box<[AtomicU64]> =
            bytemuck::zeroed_slice_box(lines * LINE_CELLS + LINE_CELLS);
        ask_for_large(&mut cells);
        let address = cells.as_ptr().addr();
        let skipped = (address.next_multiple_of(LINE_BYTES) - address) / size_of::<AtomicU64>();
        Self {
            cells,
            skipped,
            lines,
        }
    }

    pub(crate) const fn slots(&self) -> usize {
        self.lines * LINE_SLOTS
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.cells.len() * size_of::<AtomicU64>()
    }

    /// Loads a key's line, so that it is near when it is needed.
    #[inline]
    pub(crate) fn touch(&self, fingerprint: u64) -> u64 {
        let cell = self.skipped + self.home(fingerprint) * LINE_CELLS;
        self.cells
            .get(cell)
            .map_or(0, |cell| cell.load(Ordering::Relaxed))
    }

    /// The slot of a key.
    #[inline]
    pub(crate) fn find(&self, fingerprint: u64) -> Option<(usize, Slot<'_>)> {
        let mut line = self.home(fingerprint);
        for _ in 0..PROBE_LINES {
            for (place, [owner, word]) in self.line(line).iter().enumerate() {
                match owner.load(Ordering::Acquire) {
                    found if found == fingerprint => {
                        let slot = Slot {
                            fingerprint: owner,
                            word,
                        };
                        return Some((line * LINE_SLOTS + place, slot));
                    }
                    0 => return None,
                    _ => {}
                }
            }
            line = self.after(line);
        }
        None
    }

    pub(crate) fn slot(&self, index: usize) -> Option<Slot<'_>> {
        let [fingerprint, word] = self.cells.get(self.skipped + index * 2..)?.first_chunk()?;
        Some(Slot { fingerprint, word })
    }

    /// Every slot that was ever taken.
    pub(crate) fn taken(&self) -> impl Iterator<Item = Slot<'_>> {
        (0..self.slots())
            .filter_map(|index| self.slot(index))
            .filter(|slot| slot.owner() != 0)
    }

    /// Gives a slot to a key that has none. The caller sees to it that nobody else does the same for
    /// this key meanwhile.
    pub(crate) fn take(&self, fingerprint: u64, state: Word, classes: &Classes, now: Now) -> Taken {
        let mut turn = 0;
        loop {
            let Some(candidate) = self.candidate(fingerprint, classes, now) else {
                return Taken::NoRoom;
            };
            if candidate.slot.claim(candidate.seen, fingerprint, state) {
                return candidate.taken;
            }
            wait(turn);
            turn += 1;
        }
    }

    /// A slot that nobody ever had, so that keys which come and go keep theirs; else the nearest that
    /// has run out; else the one least used.
    fn candidate(&self, fingerprint: u64, classes: &Classes, now: Now) -> Option<Candidate<'_>> {
        let mut run_out: Option<Candidate<'_>> = None;
        let mut least: Option<Candidate<'_>> = None;
        for slot in self.probe(fingerprint) {
            let word = slot.read();
            let seen = (slot.owner(), word);
            if seen.0 == 0 {
                return Some(Candidate {
                    slot,
                    seen,
                    taken: Taken::New,
                });
            }
            if run_out.is_some() {
                continue;
            }
            let cost = live_cost(word, classes, now);
            if cost == 0 {
                run_out = Some(Candidate {
                    slot,
                    seen,
                    taken: Taken::RunOut,
                });
                continue;
            }
            let is_less = least
                .as_ref()
                .is_none_or(|least| word.share() < least.seen.1.share());
            let is_half_used =
                word.share() >= HALF_USED && !cfg!(mutant = "table-evicts-half-used-keys");
            if !is_half_used && is_less {
                let taken = Taken::Evicted(Evicted { keys: 1, cost });
                least = Some(Candidate { slot, seen, taken });
            }
        }
        run_out.or(least)
    }

    /// Every slot within reach of a key, nearest first.
    fn probe(&self, fingerprint: u64) -> impl Iterator<Item = Slot<'_>> {
        let lines = successors(Some(self.home(fingerprint)), |line| Some(self.after(*line)));
        lines
            .take(PROBE_LINES)
            .flat_map(|line| self.line(line))
            .map(|[fingerprint, word]| Slot { fingerprint, word })
    }

    #[inline]
    fn line(&self, line: usize) -> &[[AtomicU64; 2]] {
        let start = self.skipped + line * LINE_CELLS;
        let cells = self
            .cells
            .get(start..)
            .and_then(<[AtomicU64]>::first_chunk::<LINE_CELLS>);
        cells.map_or(&[], |cells| cells.as_chunks().0)
    }

    #[inline]
    const fn after(&self, line: usize) -> usize {
        if line + 1 == self.lines { 0 } else { line + 1 }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "below the number of lines")]
    const fn home(&self, fingerprint: u64) -> usize {
        ((fingerprint as u128 * self.lines as u128) >> 64) as usize
    }
}

/// What a word counts at `now`; zero if it can be forgotten.
fn live_cost(word: Word, classes: &Classes, now: Now) -> u64 {
    let Some((law, state)) = unpack(word, classes, now) else {
        return 0;
    };
    if law.is_fresh(&state, now) {
        0
    } else {
        law.used(&state, now).max(1)
    }
}

/// The state in a word, with an algorithm that can read it; `None` if nothing is counted.
pub(crate) fn unpack(word: Word, classes: &Classes, now: Now) -> Option<(&Law, State)> {
    fn state<A: Packed>(algorithm: &A, word: Word, now: Now) -> State {
        A::wrap(algorithm.unpack(word.payload(), now))
    }
    let law = classes.law(word.class())?;
    let state = match law {
        Law::TokenBucket(bucket) => state(bucket, word, now),
        Law::LeakyBucket(bucket) => state(bucket, word, now),
        Law::FixedWindow(window) => state(window, word, now),
        Law::SlidingWindow(window) => state(window, word, now),
        _ => return None,
    };
    Some((law, state))
}
