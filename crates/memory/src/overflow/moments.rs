//! Moments at which nothing is owed any more.

use tollgate_core::{Bucket, Cost, Law, Now, State};

use super::{
    entries::{Entries, Fill, Found},
    layout::{Layout, Numbers},
};

/// When keys will owe nothing any more, in ticks after `base`, rounded up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moments {
    pub(crate) base: u64,
    /// Microseconds, or what the caller counts in.
    pub(crate) tick: u64,
    pub(crate) entries: Entries,
}

/// When a key will owe nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owed {
    pub(crate) until: u64,
    /// Whether a shared entry says so.
    pub(crate) is_shared: bool,
}

impl Moments {
    /// With ticks that reach over `life` and a quarter of it, so that the base seldom has to move.
    pub(crate) fn new(life: u64, entries: Entries, now: u64) -> Self {
        let reach = life.saturating_add(life / 4);
        let tick = reach.div_ceil(entries.layout().most() - 1).max(1);
        let base = now / tick;
        Self { base, tick, entries }
    }

    /// From entries that were saved; `base` may be before all time.
    pub(crate) fn starting_at(base: i128, tick: u64, mut entries: Entries) -> Self {
        let tick = tick.max(1);
        // Rounded up, as every moment is.
        let base = base.div_euclid(i128::from(tick)) + 1;
        let early = u64::try_from(-base).unwrap_or(0);
        entries.change(|[ticks, _]| [ticks.saturating_sub(early), 0]);
        let base = u64::try_from(base).unwrap_or(0);
        Self { base, tick, entries }
    }

    /// Whether anything may be left.
    pub(crate) const fn is_live(&self, now: u64) -> bool {
        self.passed(now) < self.entries.layout().most()
    }

    /// When a key owes nothing any more; `None` if it owes nothing.
    pub(crate) fn read(&self, fingerprint: u64, now: u64) -> Option<Owed> {
        let Found { numbers, is_shared } = self.entries.read(fingerprint, self.is_over(now));
        let [ticks, _] = numbers;
        let until = self.base.saturating_add(ticks).saturating_mul(self.tick);
        (ticks > 0).then_some(Owed { until, is_shared })
    }

    pub(crate) fn raise(&mut self, fingerprint: u64, moment: u64, now: u64) {
        let most = self.entries.layout().most();
        if self.ticks(moment) > most {
            self.roll(now);
        }
        while self.ticks(moment) > most {
            self.coarsen();
        }
        let (ticks, is_over) = (self.ticks(moment), self.is_over(now));
        self.entries.raise(fingerprint, [ticks, 0], is_over);
    }

    pub(crate) fn fill(&self, now: u64) -> Fill {
        self.entries.fill(self.is_over(now))
    }

    fn is_over(&self, now: u64) -> impl Fn(Numbers) -> bool + use<> {
        let passed = self.passed(now);
        move |[ticks, _]| ticks <= passed
    }

    /// Moves the base to the present.
    fn roll(&mut self, now: u64) {
        let passed = self.passed(now);
        if passed > 0 {
            self.entries.change(|[ticks, _]| [ticks.saturating_sub(passed), 0]);
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
        self.entries.change(|[ticks, _]| [(ticks + odd).div_ceil(2), 0]);
        self.base /= 2;
        self.tick = self.tick.saturating_mul(2);
    }
}

/// How long a state of an algorithm of unknown kind may last, until one lasts longer: ten days.
pub(super) const LIFE_UNKNOWN: u64 = 10 * 86_400 * 1_000_000;
/// The end of all that is counted: a hundred years from now.
const LIFE_MAX: u64 = 100 * 365 * 86_400 * 1_000_000;

/// A bucket's moments are fine enough that rounding up costs a small part of a token.
pub(super) const fn moment_layout(law: Option<&Law>, capacity: u64) -> Layout {
    let bits = match capacity {
        _ if law.is_none() => 32,
        0..=4_095 => 16,
        _ => 32,
    };
    Layout { bits, numbers: 1 }
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
