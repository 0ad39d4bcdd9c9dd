//! Random schedules for a duel.

use std::error::Error;

use tollgate_core::{AlgorithmName, Cost, Decision, Limit, LimitError, Micros, Now, Timestamp};

use crate::{Difference, Duel, Rng, limits};

/// How the clocks of a walk behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocks {
    /// Both run forward, as they should.
    Forward,
    /// Requests arrive late and out of order: both hands go back and forth.
    Shuffled,
    /// Elapsed time is right, but somebody sets the time of day back and forth.
    WallSteps,
}

/// What happened on a walk, to see that it met every kind of answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Questions asked.
    pub steps: u64,
    /// Of which denied.
    pub denied: u64,
    /// Limits changed.
    pub changes: u64,
    /// Refunds.
    pub refunds: u64,
    /// Counts moved from the future (D7).
    pub rebases: u64,
}

impl Tally {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            steps: self.steps + other.steps,
            denied: self.denied + other.denied,
            changes: self.changes + other.changes,
            refunds: self.refunds + other.refunds,
            rebases: self.rebases + other.rebases,
        }
    }
}

/// A random schedule on one key: steps at the moments where errors hide, refunds, changes of the
/// limit, forgetting. Known by its seed.
///
/// ```
/// use tollgate_core::AlgorithmName;
/// use tollgate_sim::{Clocks, Walk, Rng, limits};
///
/// let limit = limits::small(&mut Rng::new(7), AlgorithmName::SlidingLog)?;
/// let tally = Walk::new(7, Clocks::Shuffled).run(limit, 50)?;
/// assert!(tally.steps > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Walk {
    rng: Rng,
    clocks: Clocks,
    now: Now,
    /// The latest moment so far: shuffled time comes back to it.
    latest: Now,
    last: Option<Decision>,
    limits: Source,
}

/// Where the limits of a walk come from.
type Source = fn(&mut Rng, AlgorithmName) -> Result<Limit, LimitError>;

impl Walk {
    /// The walk of this seed.
    pub fn new(seed: u64, clocks: Clocks) -> Self {
        let mut rng = Rng::new(seed);
        let start = Timestamp::from_secs(START_SECS + rng.below(4 * 366 * 86_400));
        Self {
            now: Now::at(start),
            latest: Now::at(start),
            rng,
            clocks,
            last: None,
            limits: limits::small,
        }
    }

    /// The same walk, changing to limits of any size instead of small ones.
    #[must_use]
    pub fn among_limits_of_any_size(mut self) -> Self {
        self.limits = limits::any;
        self
    }

    /// Walks so many steps from a fresh key.
    ///
    /// # Errors
    ///
    /// Where core and model differ.
    pub fn run(&mut self, limit: Limit, steps: u64) -> Result<Tally, Box<dyn Error>> {
        let mut duel = Duel::new(limit, self.now);
        let mut tally = Tally::default();
        for _ in 0..steps {
            self.move_clocks(duel.limit());
            match self.rng.below(24) {
                0 | 1 => {
                    let cost = Cost::new(self.rng.between(0, 5));
                    duel.refund(self.now, cost)?;
                    tally.refunds += 1;
                }
                2 => {
                    tally.changes += u64::from(self.change_limit(&mut duel)?);
                }
                3 if self.clocks == Clocks::Forward => duel.forget_if_fresh(self.now),
                _ => {}
            }
            let decision = duel.step(self.now, self.cost(duel.limit()))?;
            tally.steps += 1;
            tally.denied += u64::from(!decision.is_allowed());
            self.last = Some(decision);
        }
        tally.rebases = duel.rebases();
        Ok(tally)
    }

    /// A limit of any size may well be refused; then the old one stays. It also stays while more is
    /// missing than 64 bits can tell, as late requests see it on the largest bucket: what is carried
    /// over then is not exact.
    fn change_limit(&mut self, duel: &mut Duel) -> Result<bool, Difference> {
        let used = duel.limit().law().used(duel.state(), self.now);
        match self.changed(duel.limit()) {
            Ok(limit) if used < u64::MAX => duel.replace_limit(limit, self.now).map(|()| true),
            _ => Ok(false),
        }
    }

    fn move_clocks(&mut self, limit: &Limit) {
        match self.clocks {
            Clocks::Shuffled if self.rng.one_in(3) => {
                let back = self.distance(limit);
                self.now.wall = self.now.wall.saturating_sub(back);
                self.now.steady = self.now.steady.saturating_sub(back);
            }
            Clocks::Shuffled if self.rng.one_in(3) => self.now = self.latest,
            Clocks::WallSteps if self.rng.one_in(6) => self.step_wall(limit),
            _ => {
                let elapsed =
                    self.elapsed(limit).min(LATEST.since(self.now.wall.max(self.now.steady)));
                self.now.wall = self.now.wall.saturating_add(elapsed);
                self.now.steady = self.now.steady.saturating_add(elapsed);
            }
        }
        if self.now.steady > self.latest.steady {
            self.latest = self.now;
        }
    }

    /// How long until the next request: often at the very tick where the answer turns.
    fn elapsed(&mut self, limit: &Limit) -> Micros {
        let period = limit.period().length().get();
        let last = self.last.and_then(|last| last.retry_after());
        let retry = last.map_or(0, |wait| Micros::from(wait).get());
        let reset = self.last.map_or(0, |last| Micros::from(last.reset_after()).get());
        // A wait of centuries would leave the range of timestamps.
        let (retry, reset) = (retry.min(4 * period), reset.min(4 * period));
        let micros = match self.rng.below(16) {
            0..=4 => 0,
            5 => 1,
            6 => self.rng.below(period / 4 + 1),
            7 => self.rng.below(2 * period),
            8 => retry,
            9 => retry.saturating_sub(1),
            10 => retry + 1,
            11 => reset + self.rng.below(3) - 1.min(reset),
            12 => period,
            13 => self.until_edge(limit),
            _ => self.rng.below(period / limit.amount() + 1),
        };
        Micros::new(micros)
    }

    fn until_edge(&mut self, limit: &Limit) -> u64 {
        let window = limit.period().window_at(self.now.wall);
        let edge = limit.period().start_of(window + 1).since(self.now.wall);
        edge.get() + self.rng.below(3) - 1.min(edge.get())
    }

    fn distance(&mut self, limit: &Limit) -> Micros {
        let period = limit.period().length().get();
        let micros = match self.rng.below(8) {
            0 => 1,
            1 => period,
            2 => period + 1,
            3 => period * 2 + self.rng.below(3),
            4 => self.rng.below(5 * period),
            _ => self.rng.below(period),
        };
        Micros::new(micros)
    }

    fn step_wall(&mut self, limit: &Limit) {
        let named = self.rng.pick(&WALL_STEPS_SECS);
        let by = match self.rng.below(2) {
            0 => Micros::from_secs(named),
            _ => self.distance(limit),
        };
        let by = by.min(LATEST.since(self.now.wall));
        self.now.wall = if self.rng.one_in(2) {
            self.now.wall.saturating_add(by)
        } else {
            self.now.wall.saturating_sub(by)
        };
    }

    fn cost(&mut self, limit: &Limit) -> Cost {
        let remaining = self.last.map_or(0, |last| last.remaining());
        let units = match self.rng.below(20) {
            0..=2 => 0,
            3 => self.rng.between(1, 3),
            4 => limit.capacity(),
            5 => limit.capacity().saturating_add(1),
            6 => remaining,
            7 => remaining.saturating_add(1),
            8 => self.rng.below(limit.capacity().saturating_add(2)),
            9 => self.rng.pick(&[u64::MAX, 1 << 40, limit.law().capacity()]),
            _ => 1,
        };
        Cost::new(units)
    }

    /// Another amount, period, burst or algorithm, or several of these.
    fn changed(&mut self, limit: &Limit) -> Result<Limit, LimitError> {
        let name = match self.rng.below(3) {
            0 => self.rng.pick(&AlgorithmName::ALL),
            _ => limit.algorithm(),
        };
        let other = (self.limits)(&mut self.rng, name)?;
        let amount = match self.rng.below(4) {
            0 | 1 => return Ok(other),
            2 => other.amount(),
            _ => limit.amount(),
        };
        let same_period =
            Limit::new(amount, limit.period())?.with_algorithm(name)?.with_bands(other.bands())?;
        other.burst().map_or(Ok(same_period.clone()), |burst| same_period.with_burst(burst))
    }
}

/// Half-way to the last timestamp: the end of any window that begins before can still be written.
const LATEST: Timestamp = Timestamp::from_micros(1 << 55);

/// 2024-01-01T00:00:00Z: the walks of all seeds meet a leap day.
const START_SECS: u64 = 1_704_067_200;

/// A second, a minute, an hour, a day and a bit, two days.
const WALL_STEPS_SECS: [u64; 5] = [1, 60, 3_600, 90_000, 172_800];
