//! Moments at which nothing is owed any more.

use tollgate_core::{Bucket, Cost, Law, Now, State};

use super::cells::Cells;

/// When keys will owe nothing any more, in ticks after `base`, rounded up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moments {
    pub(crate) base: u64,
    /// Microseconds, or what the caller counts in.
    pub(crate) tick: u64,
    pub(crate) cells: Cells,
}

impl Moments {
    /// With ticks that reach over `life` and a quarter of it, so that the base seldom has to move.
    pub(crate) fn new(life: u64, cells: Cells, now: u64) -> Self {
        let reach = life.saturating_add(life / 4);
        let tick = reach.div_ceil(cells.most() - 1).max(1);
        let base = now / tick;
        Self { base, tick, cells }
    }

    /// From cells that were saved; `base` may be before all time.
    pub(crate) fn starting_at(base: i128, tick: u64, mut cells: Cells) -> Self {
        let tick = tick.max(1);
        // Rounded up, as every moment is.
        let base = base.div_euclid(i128::from(tick)) + 1;
        let early = u64::try_from(-base).unwrap_or(0);
        cells.change(|ticks| ticks.saturating_sub(early));
        let base = u64::try_from(base).unwrap_or(0);
        Self { base, tick, cells }
    }

    /// Whether anything may be left: what has run out is forgotten only when the base moves.
    pub(crate) fn is_live(&self, now: u64) -> bool {
        !self.cells.is_clear() && self.passed(now) < self.cells.most()
    }

    /// When a key owes nothing any more; `None` if it owes nothing.
    pub(crate) fn read(&self, fingerprint: u64, now: u64) -> Option<u64> {
        let ticks = self.cells.read(fingerprint);
        let moment = self.base.saturating_add(ticks).saturating_mul(self.tick);
        (ticks > 0 && moment > now).then_some(moment)
    }

    pub(crate) fn raise(&mut self, fingerprint: u64, moment: u64, now: u64) {
        if self.ticks(moment) > self.cells.most() {
            self.roll(now);
        }
        while self.ticks(moment) > self.cells.most() {
            self.coarsen();
        }
        let ticks = self.ticks(moment);
        self.cells.raise(fingerprint, ticks);
    }

    /// The odds that a key which owes nothing is taken to owe something, in millionths, at most: what has
    /// run out since the base moved is taken to be live.
    pub(crate) fn odds(&self, now: u64) -> u64 {
        match self.is_live(now) {
            true => self.cells.odds(),
            false => 0,
        }
    }

    /// Moves the base to the present, so that cells which have run out are zero.
    fn roll(&mut self, now: u64) {
        let passed = self.passed(now);
        if passed > 0 {
            self.cells.change(|ticks| ticks.saturating_sub(passed));
            self.base += passed;
        }
    }

    /// Whole ticks since the base.
    const fn passed(&self, now: u64) -> u64 {
        (now / self.tick).saturating_sub(self.base)
    }

    const fn ticks(&self, moment: u64) -> u64 {
        moment.div_ceil(self.tick).saturating_sub(self.base)
    }

    /// Twice as long ticks: a debt was larger than was to be expected.
    fn coarsen(&mut self) {
        let odd = self.base & 1;
        self.cells.change(|ticks| (ticks + odd).div_ceil(2));
        self.base /= 2;
        self.tick = self.tick.saturating_mul(2);
    }
}

/// How long a state of an algorithm of unknown kind may last, until one lasts longer: ten days.
pub(super) const LIFE_UNKNOWN: u64 = 10 * 86_400 * 1_000_000;
/// The end of all that is counted: a hundred years from now.
const LIFE_MAX: u64 = 100 * 365 * 86_400 * 1_000_000;

/// A bucket's moments are fine enough that rounding up costs a small part of a token.
pub(super) const fn moment_bits(law: Option<&Law>, capacity: u64) -> u32 {
    match capacity {
        _ if law.is_none() => 32,
        0..=31 => 12,
        32..=4_095 => 16,
        _ => 32,
    }
}

/// Microseconds until a bucket that owes `capacity` tokens owes nothing.
pub(crate) fn drained_in(units_per_micro: u64, units_per_token: u64, capacity: u64) -> u64 {
    let units = u128::from(capacity) * u128::from(units_per_token);
    let micros = units.div_ceil(u128::from(units_per_micro.max(1)));
    u64::try_from(micros).unwrap_or(u64::MAX).clamp(1, LIFE_MAX)
}

pub(crate) const fn bucket(law: &Law) -> Option<&Bucket> {
    match law {
        Law::TokenBucket(token) => Some(token.bucket()),
        Law::LeakyBucket(leaky) => Some(leaky.bucket()),
        _ => None,
    }
}

/// When a state will be like a fresh one, for all that is known of it.
pub(super) fn fresh_at(law: &Law, state: &State, now: Now) -> u64 {
    let reset_after = law.step(state.clone(), now, Cost::ZERO).0.reset_after.get();
    // What slides counts for a second window, and months differ in length.
    let life = match law {
        Law::FixedWindow(_) | Law::TokenBucket(_) | Law::LeakyBucket(_) => reset_after,
        Law::SlidingWindow(window) => {
            reset_after.saturating_add(2 * window.period().length().get())
        }
        Law::SlidingLog(_) => reset_after,
        _ => reset_after.saturating_mul(2),
    };
    now.steady.as_micros().saturating_add(life.min(LIFE_MAX))
}
