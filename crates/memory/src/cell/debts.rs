//! What keys owe that have no place: sketches of arrival times, by how far ahead they are.
//!
//! A key brings its numbers along, and a place knows none of them: only how long the key still owes. So the
//! sketches differ by that, each twice four bits apart; a key is asked for in all of them. See
//! [`crate::overflow`] for what a sketch is and why it never counts too little.

use crate::overflow::{Entries, Fill, Foldable, Layout, Moments, Owed, make_room};

/// The shortest debt of a sketch is rounded up by a three-thousandth at most.
const LAYOUT: Layout = Layout { bits: 16, numbers: 1 };
/// Debts of one sketch are at most so many bits longer than the shortest.
const CLASS_BITS: u32 = 4;

/// The sketches for a part of the keys of a shard.
#[derive(Clone, Debug, Default)]
pub(super) struct Debts {
    sketches: Vec<Sketch>,
}

/// Debts that are about as long.
#[derive(Clone, Debug)]
pub(super) struct Sketch {
    pub(super) class: u32,
    pub(super) moments: Moments,
}

impl Foldable for Sketch {
    fn words(&self) -> usize {
        self.moments.entries.words()
    }

    fn fold(&mut self) {
        self.moments.entries.fold();
    }
}

impl Debts {
    /// When a key will owe nothing any more; `None` if it owes nothing.
    pub(super) fn read(&self, fingerprint: u64, now: u64) -> Option<u64> {
        let found = self.sketches.iter();
        let owed = found.filter_map(|sketch| sketch.moments.read(fingerprint, now));
        owed.map(|Owed { until, .. }| until).max()
    }

    /// Adds a key that owes until `moment`; all sketches here take `words_max` words.
    pub(super) fn add(&mut self, fingerprint: u64, moment: u64, words_max: usize, now: u64) {
        let Some(class) = moment.saturating_sub(now).checked_ilog2() else {
            return;
        };
        let class = class / CLASS_BITS;
        let known = self.sketches.iter().position(|it| it.class == class);
        let place = known.unwrap_or_else(|| {
            self.sketches.retain(|sketch| sketch.moments.is_live(now));
            let entries = Entries::new(make_room(&mut self.sketches, words_max), LAYOUT);
            let life = 1_u64.checked_shl((class + 1) * CLASS_BITS).unwrap_or(u64::MAX);
            let moments = Moments::new(life, entries, now);
            self.sketches.push(Sketch { class, moments });
            self.sketches.len() - 1
        });
        if let Some(sketch) = self.sketches.get_mut(place) {
            sketch.moments.raise(fingerprint, moment, now);
        }
    }

    pub(super) fn sketches(&self) -> &[Sketch] {
        &self.sketches
    }

    /// Takes over a saved sketch. Of several of one class the first is written, and all are read.
    pub(super) fn insert(&mut self, mut sketch: Sketch, words_max: usize) {
        let words = make_room(&mut self.sketches, words_max);
        while sketch.words() > words {
            sketch.fold();
        }
        self.sketches.push(sketch);
    }

    /// All sketches together.
    pub(super) fn fill(&self, now: u64) -> Fill {
        let fills = self.sketches.iter().map(|sketch| sketch.moments.fill(now));
        fills.fold(Fill::default(), |all, fill| Fill {
            live: all.live + fill.live,
            odds: (all.odds + fill.odds).min(1_000_000),
        })
    }

    pub(super) fn words(&self) -> usize {
        self.sketches.iter().map(Foldable::words).sum()
    }
}
