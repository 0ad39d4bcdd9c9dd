//! Writing a worked example.

use std::fmt::{self, Write};

use tollgate_core::{Cost, Limit, Micros, Now, Timestamp};

use super::{
    cases::{Case, Trouble},
    format::{write_answer, write_limit},
};
use crate::{
    Rng,
    model::{Model, ModelAnswer},
};

/// A file while it is written.
pub(super) struct Story<'a> {
    case: &'a Case,
    rng: Rng,
    now: Now,
    out: String,
    last: Option<ModelAnswer>,
}

impl<'a> Story<'a> {
    pub(super) fn new(case: &'a Case) -> Self {
        // The seed is the name, so that a new file changes no other.
        let seed =
            case.name.bytes().fold(0, |seed: u64, byte| seed * 31 % 1_000_003 + u64::from(byte));
        Self { case, rng: Rng::new(seed), now: Now::at(START), out: String::new(), last: None }
    }

    pub(super) fn told(mut self, limits: &[Limit]) -> Result<String, fmt::Error> {
        writeln!(self.out, "# {}", self.case.about)?;
        let mut key: Option<Model> = None;
        for limit in limits {
            let mut model = match key.take() {
                Some(mut model) if self.case.trouble == Trouble::LimitChanges => {
                    model.replace_limit(limit, self.now);
                    model
                }
                _ => self.begin(limit)?,
            };
            write_limit(&mut self.out, limit)?;
            self.charge(&mut model, 0, 0)?;
            for _ in 0..self.case.steps {
                self.step(&mut model)?;
            }
            key = Some(model);
        }
        Ok(self.out)
    }

    fn begin(&mut self, limit: &Limit) -> Result<Model, fmt::Error> {
        writeln!(self.out, "start {}", START.as_micros())?;
        self.now = Now::at(START);
        self.last = None;
        Ok(Model::new(limit, self.now))
    }

    fn step(&mut self, key: &mut Model) -> fmt::Result {
        let elapsed = self.elapsed(key.limit());
        let wall_step = match self.case.trouble {
            Trouble::WallSteps if self.rng.one_in(8) => self.rng.pick(&WALL_STEPS),
            _ => 0,
        };
        if self.case.trouble == Trouble::Refunds && self.rng.one_in(4) {
            self.pass(elapsed, wall_step);
            let cost = Cost::new(self.rng.between(1, 4));
            key.refund(self.now, cost);
            return writeln!(self.out, "+{elapsed} {wall_step} refund {cost}");
        }
        self.charge(key, elapsed, wall_step)
    }

    fn charge(&mut self, key: &mut Model, elapsed: u64, wall_step: i64) -> fmt::Result {
        self.pass(elapsed, wall_step);
        let cost = self.cost(key.limit());
        let answer = key.step(self.now, Cost::new(cost));
        self.last = Some(answer);
        write!(self.out, "+{elapsed} {wall_step} {cost}")?;
        write_answer(&mut self.out, &answer)
    }

    fn pass(&mut self, elapsed: u64, wall_step: i64) {
        let elapsed = Micros::new(elapsed);
        let wall = self.now.wall.saturating_add(elapsed).as_micros();
        self.now.wall = Timestamp::from_micros(wall.saturating_add_signed(wall_step));
        self.now.steady = self.now.steady.saturating_add(elapsed);
    }

    fn elapsed(&mut self, limit: &Limit) -> u64 {
        let period = limit.period().length().get();
        let retry = self.last.and_then(|last| last.retry_after);
        let retry = retry.map_or(0, Micros::get).min(2 * period);
        let window = limit.period().window_at(self.now.wall);
        let edge = limit.period().start_of(window + 1).since(self.now.wall).get();
        match self.rng.below(12) {
            0..=3 => 0,
            4 => retry,
            5 => retry.saturating_sub(1),
            6 => edge,
            7 => edge.saturating_sub(1),
            8 => self.rng.below(period),
            9 => period,
            _ => self.rng.below(period / limit.capacity().min(20) + 1),
        }
    }

    fn cost(&mut self, limit: &Limit) -> u64 {
        let remaining = self.last.map_or(0, |last| last.remaining);
        let share = limit.capacity() / 5;
        match self.rng.below(14) {
            0 | 1 => 0,
            2 => limit.capacity(),
            3 => limit.capacity() + 1,
            4 => remaining,
            5 => remaining + 1,
            6 | 7 => self.rng.between(1, 3),
            8 | 9 => share + 1,
            _ => 1,
        }
    }
}

/// 2024-01-30T23:59:30Z, a Tuesday: half a minute before a day, two days before a month, four weeks
/// before a leap day.
const START: Timestamp = Timestamp::from_secs(1_706_659_170);

const DAYS: i64 = 86_400_000_000;

const WALL_STEPS: [i64; 10] = [
    1_000_000,
    -1_000_000,
    60_000_000,
    -60_000_000,
    3_600_000_000,
    -3_600_000_000,
    DAYS,
    -DAYS,
    2 * DAYS,
    -2 * DAYS,
];
