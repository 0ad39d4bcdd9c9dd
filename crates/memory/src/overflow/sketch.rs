//! The sketches of one shard, and how they share its words.

use tollgate_core::{Law, Now, State, Timestamp};

use super::{
    counts::{Counts, Estimate, Standing},
    entries::Fill,
    moments::fresh_at,
};
use crate::class::Scope;

/// The least words of a sketch: a bucket.
const WORDS_MIN: usize = 8;
/// From these odds on, in millionths, a failure policy answers for keys whose count is shared.
pub(crate) const ODDS_MAX: u64 = 10_000;
/// The most laws that the last sketch tells apart.
const LAWS_MAX: usize = 64;
/// What a key may have used by another law, of which the last sketch knows no amount.
const ADOPTED_UNITS: u64 = 1 << 40;
/// How old the odds may be by which that is decided, in additions and in time.
const ADDED_MAX: u32 = 64;
const ODDS_AGE_MAX: u64 = 1_000_000;

/// The sketches of one shard.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overflow {
    sketches: Vec<Sketch>,
}

/// What keys of a limit have used that have no place of their own.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    /// Whose keys; not known of counters that an earlier release saved.
    pub(crate) scope: Option<Scope>,
    /// How they count; `None` in the last sketch, of any limit.
    pub(crate) law: Option<Law>,
    pub(crate) counts: Counts,
    pub(crate) odds: Odds,
    /// By which laws the last sketch counts keys; not known of a saved one.
    pub(crate) laws: Option<Vec<NotedLaw>>,
}

/// A law by which the last sketch counts keys, and until when.
#[derive(Clone, Debug)]
pub(crate) struct NotedLaw {
    scope: Option<Scope>,
    law: Law,
    until: u64,
}

/// The odds as they were last worked out, which takes a look at every entry.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Odds {
    millionths: u64,
    at: Timestamp,
    /// Additions since.
    added: u32,
}

/// What the sketches of a shard say of a key.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) state: State,
    /// Whether it is so likely to be too much that a failure policy is to answer.
    pub(crate) is_doubtful: bool,
    /// Whether something was counted by another law, from which the key's own takes over.
    pub(crate) is_adopted: bool,
}

/// Whose count is asked for or added.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner<'a> {
    pub(crate) fingerprint: u64,
    pub(crate) scope: Option<Scope>,
    pub(crate) law: &'a Law,
    /// The limit's amount, which a slot does not know.
    pub(crate) capacity: u64,
}

impl Overflow {
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.sketches.is_empty()
    }

    /// What is counted of a key, as its law counts; `None` if nothing is.
    pub(crate) fn read(&self, owner: Owner<'_>, now: Now) -> Option<Reading> {
        let of_limit = |sketch: &&Sketch| sketch.scope.is_none() || sketch.scope == owner.scope;
        let found = self.sketches.iter().filter(of_limit);
        let readings = found.filter_map(|sketch| sketch.read(owner, now));
        // A key that was counted by another law is counted in both: the later one knows of the earlier.
        readings.reduce(|most, other| {
            let used = |reading: &Reading| owner.law.used(&reading.state, now);
            let is_adopted = most.is_adopted || other.is_adopted;
            let most = if used(&other) >= used(&most) { other } else { most };
            Reading { is_adopted, ..most }
        })
    }

    /// Takes note of the time: of a clock that was set back, and of what has run out since the odds were last
    /// worked out.
    pub(crate) fn notice(&mut self, now: Now) {
        for sketch in &mut self.sketches {
            sketch.counts.notice(sketch.law.as_ref(), now);
            sketch.refresh_odds(now);
        }
    }

    /// Adds what a key has used; the sketches of the shard take `words_max` words in all.
    pub(crate) fn add(&mut self, owner: Owner<'_>, state: &State, words_max: usize, now: Now) {
        if owner.law.is_fresh(state, now) {
            return;
        }
        let Owner { fingerprint, law, .. } = owner;
        let place = self.place(owner, words_max, now);
        if let Some(sketch) = place.and_then(|place| self.sketches.get_mut(place)) {
            sketch.counts.add(law, fingerprint, state, now);
            if sketch.law.is_none() {
                sketch.note_law(owner, fresh_at(law, state, now), now);
            }
            sketch.odds.added += 1;
        }
    }

    pub(crate) fn sketches(&self) -> &[Sketch] {
        &self.sketches
    }

    /// Takes over a saved sketch. Of several for one limit the first is written, and all are read.
    pub(crate) fn insert(&mut self, mut sketch: Sketch, words_max: usize) {
        let words = make_room(&mut self.sketches, words_max);
        while sketch.words() > words {
            sketch.fold();
        }
        self.sketches.push(sketch);
    }

    /// The sketch for a key's limit, made now if need be.
    fn place(&mut self, owner: Owner<'_>, words_max: usize, now: Now) -> Option<usize> {
        if let Some(place) = self.find(owner.scope, Some(owner.law), now) {
            return Some(place);
        }
        // What has run out makes room, and is made anew for the amounts of today.
        self.sketches.retain_mut(|sketch| sketch.roll(now) != Standing::RunOut);
        let is_sketched = !matches!(owner.law, Law::Custom(_));
        // The last sketch always finds room.
        let has_room = (self.sketches.len() + 2) * WORDS_MIN <= words_max;
        if is_sketched && has_room {
            return Some(self.make(owner.scope, Some(owner), words_max, now));
        }
        let last = self.find(None, None, now);
        Some(last.unwrap_or_else(|| self.make(None, None, words_max, now)))
    }

    /// The sketch of a limit to which can be added now.
    fn find(&mut self, scope: Option<Scope>, law: Option<&Law>, now: Now) -> Option<usize> {
        self.sketches.iter_mut().position(|sketch| {
            let is_alike = match (&sketch.law, law) {
                (Some(its), Some(law)) => its.counts_like(law),
                (None, None) => true,
                _ => false,
            };
            sketch.scope == scope && is_alike && sketch.roll(now) == Standing::Present
        })
    }

    fn make(
        &mut self,
        scope: Option<Scope>,
        owner: Option<Owner<'_>>,
        words_max: usize,
        now: Now,
    ) -> usize {
        let words = make_room(&mut self.sketches, words_max);
        let law = owner.map(|owner| owner.law);
        let capacity = owner.map_or(0, |owner| owner.capacity);
        self.sketches.push(Sketch {
            scope,
            law: law.cloned(),
            counts: Counts::new(law, capacity, words, now),
            odds: Odds::default(),
            laws: Some(Vec::new()),
        });
        self.sketches.len() - 1
    }
}

/// What takes words and can do with half of them.
pub(crate) trait Foldable {
    fn words(&self) -> usize;
    fn fold(&mut self);
}

impl Foldable for Sketch {
    fn words(&self) -> usize {
        self.counts.words()
    }

    fn fold(&mut self) {
        self.counts.fold();
    }
}

/// Words for one more sketch: its part, or the least where all are as small as can be.
pub(crate) fn make_room(sketches: &mut [impl Foldable], words_max: usize) -> usize {
    let part = words_max / (sketches.len() + 1);
    let mut words = 1 << part.max(WORDS_MIN).ilog2();
    loop {
        let taken: usize = sketches.iter().map(Foldable::words).sum();
        if taken + words <= words_max {
            return words;
        }
        let largest = sketches.iter_mut().max_by_key(|sketch| sketch.words());
        match largest {
            Some(largest) if largest.words() > words => largest.fold(),
            _ if words > WORDS_MIN => words /= 2,
            _ => return words,
        }
    }
}

impl Sketch {
    fn read(&self, owner: Owner<'_>, now: Now) -> Option<Reading> {
        let Owner { fingerprint, law, capacity, .. } = owner;
        match (&self.law, &self.counts) {
            (Some(its), counts) => {
                let Estimate { state, is_shared } = counts.read(its, fingerprint, capacity, now)?;
                let is_doubtful = is_shared && self.odds.millionths > ODDS_MAX;
                let is_adopted = !law.counts_like(its);
                let state = match is_adopted {
                    true => law.adopt(its, state, now),
                    false => state,
                };
                Some(Reading { state, is_doubtful, is_adopted })
            }
            (None, Counts::Moments(moments)) => {
                let _until = moments.read(fingerprint, now.steady.as_micros())?;
                // How much the key has used is not known here; by another law it may be any amount.
                let is_adopted = self.may_be_of_another_law(owner, now);
                let used = if is_adopted { capacity.max(ADOPTED_UNITS) } else { capacity };
                Some(Reading { state: law.admitted(used, now), is_doubtful: true, is_adopted })
            }
            (None, Counts::Windows(_)) => None,
        }
    }

    /// Whether keys of the limit may be counted here by a law that it has no longer.
    fn may_be_of_another_law(&self, owner: Owner<'_>, now: Now) -> bool {
        let is_another = |noted: &NotedLaw| {
            noted.scope == owner.scope
                && noted.until > now.steady.as_micros()
                && !noted.law.counts_like(owner.law)
        };
        self.laws.as_ref().is_none_or(|laws| laws.iter().any(is_another))
    }

    fn note_law(&mut self, owner: Owner<'_>, until: u64, now: Now) {
        let Some(laws) = &mut self.laws else {
            return;
        };
        let is_same =
            |noted: &&mut NotedLaw| noted.scope == owner.scope && noted.law.counts_like(owner.law);
        if let Some(noted) = laws.iter_mut().find(is_same) {
            noted.until = noted.until.max(until);
            return;
        }
        laws.retain(|noted| noted.until > now.steady.as_micros());
        laws.push(NotedLaw { scope: owner.scope, law: owner.law.clone(), until });
        if laws.len() > LAWS_MAX {
            self.laws = None;
        }
    }

    fn roll(&mut self, now: Now) -> Standing {
        self.counts.roll(self.law.as_ref(), now)
    }

    pub(crate) fn fill(&self, now: Now) -> Fill {
        self.counts.fill(self.law.as_ref(), now)
    }

    fn refresh_odds(&mut self, now: Now) {
        let age = now.steady.since(self.odds.at).get();
        if self.odds.added >= ADDED_MAX || age >= ODDS_AGE_MAX {
            self.odds = Odds { millionths: self.fill(now).odds, at: now.steady, added: 0 };
        }
    }
}
