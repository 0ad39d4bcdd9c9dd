//! The table of slots: lines of four, probed in order, never rebuilt.
//!
//! A key lives within [`PROBE_LINES`] lines of its home. Slots are taken but never emptied again, so a
//! search ends at the first slot nobody ever took. What has run out is given to the next key that
//! comes by; there is no sweep.

use std::iter::successors;

use smallvec::SmallVec;
use tollgate_core::{Law, Now, RuleId, State};

use crate::{
    class::Classes,
    overflow::bucket,
    pack::{Packed, full_for},
    pages::ask_for_large,
    slot::Slot,
    sync::{AtomicU64, Ordering},
    word::Word,
};

/// Slots in a cache line.
const LINE_SLOTS: usize = 4;
const LINE_CELLS: usize = 2 * LINE_SLOTS;
const LINE_BYTES: usize = 64;

/// How far from its home a key may live.
pub(crate) const PROBE_LINES: usize = 16;

#[derive(Debug)]
pub(crate) struct Table {
    cells: Box<[AtomicU64]>,
    /// Cells before the first full cache line.
    skipped: usize,
    lines: usize,
}

/// A slot that could be taken, and what it was seen to hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    slot: Slot<'a>,
    seen: (u64, Word),
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It was never used.
    New,
    /// Its counter has run out.
    RunOut,
    /// Its counter is still live, and goes to a sketch.
    Live,
}

impl Candidate<'_> {
    /// Whose slot it is.
    pub(crate) const fn owner(&self) -> u64 {
        self.seen.0
    }

    pub(crate) const fn word(&self) -> Word {
        self.seen.1
    }

    /// Gives the slot to another key; fails if it has changed since it was seen.
    pub(crate) fn claim(&self, fingerprint: u64, state: Word) -> bool {
        self.slot.claim(self.seen, fingerprint, state)
    }
}

/// A live counter within reach.
struct Live<'a> {
    slot: Slot<'a>,
    seen: (u64, Word),
    rule: Option<RuleId>,
    /// How much of its limit it uses, in quarters.
    quarters: u64,
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
        Self { cells, skipped, lines }
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
        self.cells.get(cell).map_or(0, |cell| cell.load(Ordering::Relaxed))
    }

    /// The slot of a key.
    #[inline]
    pub(crate) fn find(&self, fingerprint: u64) -> Option<(usize, Slot<'_>)> {
        let mut line = self.home(fingerprint);
        for _ in 0..PROBE_LINES {
            for (place, [owner, word]) in self.line(line).iter().enumerate() {
                match owner.load(Ordering::Acquire) {
                    found if found == fingerprint => {
                        let slot = Slot { fingerprint: owner, word };
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
        (0..self.slots()).filter_map(|index| self.slot(index)).filter(|slot| slot.owner() != 0)
    }

    /// A slot for a key of this rule: one that was never used, so that keys which come and go keep theirs;
    /// else the nearest that has run out; else one of the rule that holds most of those within reach, and of
    /// those one of the least used. `turn` chooses another of them where the first could not be had.
    pub(crate) fn candidate(
        &self,
        (fingerprint, rule): (u64, Option<RuleId>),
        classes: &Classes,
        now: Now,
        turn: u32,
    ) -> Option<Candidate<'_>> {
        let mut run_out = None;
        let mut live: SmallVec<[Live<'_>; 64]> = SmallVec::new();
        for slot in self.probe(fingerprint) {
            let word = slot.read();
            let seen = (slot.owner(), word);
            let candidate = |kind| Candidate { slot, seen, kind };
            if seen.0 == 0 {
                return Some(candidate(Kind::New));
            }
            if run_out.is_some() || is_marked(word, classes, now) {
                continue;
            }
            let Some(quarters) = quarters_used(word, classes, now) else {
                run_out = Some(candidate(Kind::RunOut));
                continue;
            };
            let rule = classes.scope(word.class()).map(|scope| scope.rule);
            live.push(Live { slot, seen, rule, quarters });
        }
        run_out.or_else(|| {
            let Live { slot, seen, .. } =
                victim(&live, rule, fingerprint.wrapping_add(turn.into()))?;
            let (slot, seen, kind) = (*slot, *seen, Kind::Live);
            Some(Candidate { slot, seen, kind })
        })
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
        let cells = self.cells.get(start..).and_then(<[AtomicU64]>::first_chunk::<LINE_CELLS>);
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

/// One of the least used of the rule that holds most; of `rule` itself if no other holds more.
fn victim<'l, 'a>(live: &'l [Live<'a>], rule: Option<RuleId>, choice: u64) -> Option<&'l Live<'a>> {
    let mut held: SmallVec<[(usize, Option<RuleId>); 8]> = SmallVec::new();
    // Last, so that of those who hold as much it is the one that is taken.
    for rule in live.iter().map(|live| live.rule).chain([rule]) {
        match held.iter_mut().find(|(_, known)| *known == rule) {
            Some((count, _)) => *count += 1,
            None => held.push((1, rule)),
        }
    }
    let (_, most) = *held.iter().max_by_key(|(count, _)| *count)?;
    let of_rule = || live.iter().filter(|live| live.rule == most);
    let least = of_rule().map(|live| live.quarters).min()?;
    let mut least_used = of_rule().filter(|live| live.quarters == least);
    let count = u64::try_from(least_used.clone().count()).ok()?;
    least_used.nth(usize::try_from(choice.checked_rem(count)?).ok()?)
}

/// How much of its limit a counter uses, in quarters; `None` if it can be forgotten.
fn quarters_used(word: Word, classes: &Classes, now: Now) -> Option<u64> {
    let (law, state) = unpack(word, classes, now)?;
    if law.is_fresh(&state, now) {
        return None;
    }
    let used = law.used(&state, now).saturating_mul(4);
    Some(used / classes.capacity(word.class()).max(1))
}

/// Whether a key was reset so lately that a sketch may still count what it had used before.
fn is_marked(word: Word, classes: &Classes, now: Now) -> bool {
    if !word.is_marked() {
        return false;
    }
    match unpack(word, classes, now) {
        Some((Law::FixedWindow(law), State::Fixed(state))) => {
            state.window >= law.period().window_at(now.wall)
        }
        Some((Law::SlidingWindow(law), State::Sliding(state))) => {
            state.window.saturating_add(1) >= law.period().window_at(now.wall)
        }
        Some((law, _)) => bucket(law).is_some_and(|bucket| {
            let units = bucket.units_per_token();
            let drained = units.saturating_mul(classes.capacity(word.class()));
            full_for(bucket, word.payload(), now) <= drained
        }),
        None => false,
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
