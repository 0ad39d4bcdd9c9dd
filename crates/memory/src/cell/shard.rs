//! A part of the table, under one lock: lines of four places, probed in order, never rebuilt.
//!
//! Places are taken but never emptied again, so a search ends at the first that nobody ever took. What has
//! run out is given to the next key that comes by; there is no sweep.

use super::debts::{Debts, Sketch};
use crate::overflow::Fill;

/// Places in a cache line.
const LINE_PLACES: usize = 4;
const LINE_WORDS: usize = 2 * LINE_PLACES;
const LINE_BYTES: usize = 64;
/// How far from its home a key may live. With as many keys as there is room for, nearly all live within 25
/// lines.
const PROBE_LINES: usize = 32;

/// A key's arrival time follows its fingerprint; a fingerprint of zero marks a place nobody ever took.
#[derive(Debug)]
pub(super) struct Shard {
    words: Box<[u64]>,
    /// Words before the first full cache line.
    skipped: usize,
    lines: usize,
    keys: u64,
    evicted: u64,
    /// What keys without a place owe, in parts of a few kilobytes: a power of two of them.
    debts: Box<[Debts]>,
    /// Words of each part.
    debt_words: usize,
    /// Upper bits of a fingerprint that chose the shard.
    shard_bits: u32,
}

/// Words of a part: folding them takes microseconds.
const DEBT_WORDS: usize = 512;
const DEBT_WORDS_MIN: usize = 128;

/// A key and when it will owe nothing any more, in nanoseconds of elapsed time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) fingerprint: u64,
    pub(super) arrival: i64,
}

impl Shard {
    /// Of at least so many places, one of `2^shard_bits` shards. Memory is committed as it is touched.
    pub(super) fn new(places: usize, overflow_bytes: usize, shard_bits: u32) -> Self {
        let lines = places.div_ceil(LINE_PLACES).max(1);
        let words = bytemuck::zeroed_slice_box::<u64>((lines + 1) * LINE_WORDS);
        let address = words.as_ptr().addr();
        let skipped = (address.next_multiple_of(LINE_BYTES) - address) / size_of::<u64>();
        let debt_words = overflow_bytes / size_of::<u64>();
        let parts = 1 << (debt_words / DEBT_WORDS).max(1).ilog2();
        Self {
            words,
            skipped,
            lines,
            keys: 0,
            evicted: 0,
            debts: vec![Debts::default(); parts].into(),
            debt_words: (debt_words / parts).max(DEBT_WORDS_MIN),
            shard_bits,
        }
    }

    /// When a key without a place will owe nothing any more; `None` if it owes nothing.
    pub(super) fn sketched(&self, fingerprint: u64, now: i64) -> Option<i64> {
        let now = now.max(0).cast_unsigned();
        let moment = self.debts.get(self.part(fingerprint))?.read(fingerprint, now)?;
        Some(i64::try_from(moment).unwrap_or(i64::MAX))
    }

    /// How many keys without a place owe something, and the odds that one which owes nothing is taken to, on
    /// average.
    pub(super) fn fill(&self, now: i64) -> Fill {
        let now = now.max(0).cast_unsigned();
        let fills = self.debts.iter().map(|debts| debts.fill(now));
        let (live, odds) =
            fills.fold((0, 0), |(live, odds), fill| (live + fill.live, odds + fill.odds));
        let odds = odds / u64::try_from(self.debts.len()).unwrap_or(1).max(1);
        Fill { live, odds }
    }

    pub(super) fn overflow_bytes(&self) -> usize {
        self.debts.iter().map(Debts::words).sum::<usize>() * size_of::<u64>()
    }

    pub(super) const fn overflow_bytes_max(&self) -> usize {
        self.debts.len() * self.debt_words * size_of::<u64>()
    }

    /// By the bits below those that chose the shard, so that the parts of all shards are in one order, whatever
    /// the number of shards.
    #[expect(clippy::cast_possible_truncation, reason = "below the number of parts")]
    const fn part(&self, fingerprint: u64) -> usize {
        let below = (fingerprint as u128) << self.shard_bits & u64::MAX as u128;
        ((below * self.debts.len() as u128) >> 64) as usize
    }

    pub(super) fn debts(&self) -> &[Debts] {
        &self.debts
    }

    /// Takes over a saved sketch into one of the parts.
    pub(super) fn insert_debts(&mut self, part: usize, sketch: Sketch) {
        let words_max = self.debt_words;
        if let Some(debts) = self.debts.get_mut(part) {
            debts.insert(sketch, words_max);
        }
    }

    fn give_up(&mut self, entry: Entry, now: i64) {
        let (part, words_max) = (self.part(entry.fingerprint), self.debt_words);
        let [arrival, now] = [entry.arrival, now].map(|it| it.max(0).cast_unsigned());
        if let Some(debts) = self.debts.get_mut(part) {
            debts.add(entry.fingerprint, arrival, words_max, now);
        }
    }

    pub(super) const fn places(&self) -> usize {
        self.lines * LINE_PLACES
    }

    pub(super) const fn bytes(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }

    pub(super) const fn keys(&self) -> u64 {
        self.keys
    }

    pub(super) const fn evicted(&self) -> u64 {
        self.evicted
    }

    /// The arrival time of a key that has a place, to be read and written.
    #[inline]
    pub(super) fn find(&mut self, fingerprint: u64) -> Option<&mut u64> {
        let at = self.position(fingerprint)?;
        self.words.get_mut(at + 1)
    }

    /// Gives a place to a key that has none: one nobody ever had, else the nearest that has run out, else
    /// that of the key which owes the least, whose debt goes to a sketch.
    pub(super) fn insert(&mut self, entry: Entry, now: i64) {
        let mut best: Option<(i64, usize)> = None;
        for at in self.probe(entry.fingerprint) {
            let Some([owner, arrival]) = self.place(at) else {
                continue;
            };
            if owner == 0 {
                self.keys += 1;
                return self.write(at, entry);
            }
            // All that have run out are alike.
            let arrival = arrival.cast_signed().max(now);
            if best.is_none_or(|(least, _)| arrival < least) {
                best = Some((arrival, at));
            }
        }
        if let Some((arrival, at)) = best {
            if arrival > now
                && let Some([fingerprint, _]) = self.place(at)
            {
                self.evicted += 1;
                self.give_up(Entry { fingerprint, arrival }, now);
            }
            self.write(at, entry);
        }
    }

    /// Every key that owes something.
    pub(super) fn entries(&self, now: i64) -> impl Iterator<Item = Entry> {
        let pairs = self.words.get(self.skipped..).unwrap_or_default();
        let pairs = pairs.as_chunks::<2>().0.iter();
        pairs.filter_map(move |&[fingerprint, arrival]| {
            let arrival = arrival.cast_signed();
            let is_live = fingerprint != 0 && arrival > now;
            is_live.then_some(Entry { fingerprint, arrival })
        })
    }

    #[inline]
    fn position(&self, fingerprint: u64) -> Option<usize> {
        let mut line = self.home(fingerprint);
        for _ in 0..PROBE_LINES.min(self.lines) {
            let start = self.skipped + line * LINE_WORDS;
            let words = self.words.get(start..)?.first_chunk::<LINE_WORDS>()?;
            for (place, [owner, _]) in words.as_chunks::<2>().0.iter().enumerate() {
                if *owner == fingerprint {
                    return Some(start + 2 * place);
                }
                if *owner == 0 {
                    return None;
                }
            }
            line = self.after(line);
        }
        None
    }

    /// Every place within reach of a key, nearest first.
    fn probe(&self, fingerprint: u64) -> impl Iterator<Item = usize> + use<> {
        let (lines, skipped) = (self.lines, self.skipped);
        let home = self.home(fingerprint);
        let within = (0..PROBE_LINES.min(lines)).map(move |step| (home + step) % lines);
        let of_line = move |line: usize| {
            (0..LINE_PLACES).map(move |place| skipped + line * LINE_WORDS + 2 * place)
        };
        within.flat_map(of_line)
    }

    fn place(&self, at: usize) -> Option<[u64; 2]> {
        self.words.get(at..)?.first_chunk().copied()
    }

    fn write(&mut self, at: usize, entry: Entry) {
        let place = self.words.get_mut(at..).and_then(<[u64]>::first_chunk_mut);
        if let Some(place) = place {
            *place = [entry.fingerprint, entry.arrival.cast_unsigned()];
        }
    }

    #[inline]
    const fn after(&self, line: usize) -> usize {
        if line + 1 == self.lines { 0 } else { line + 1 }
    }

    /// By the lower half of the fingerprint; the upper one chose the shard.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "takes a half; below the number of lines")]
    const fn home(&self, fingerprint: u64) -> usize {
        let lower = (fingerprint as u32) as u128;
        ((lower * self.lines as u128) >> 32) as usize
    }
}
