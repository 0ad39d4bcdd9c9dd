//! One worked example in memory.

use tollgate_core::{Cost, Limit, Micros, Now, Timestamp};

use crate::model::ModelAnswer;

/// One key's story: what happens to it, and what has to be answered.
///
/// ```
/// use tollgate_core::{Clock, ManualClock};
/// use tollgate_sim::{golden::{self, Act}, model::ModelAnswer};
///
/// for vector in golden::load()? {
///     let clock = ManualClock::at(vector.start);
///     let mut limit = vector.limit.clone();
///     let mut state = limit.fresh(clock.now());
///     for step in &vector.steps {
///         clock.advance(step.elapsed);
///         clock.step_wall(step.wall_step_micros);
///         state = match &step.act {
///             Act::Charge { cost, answer } => {
///                 let (decision, next) = limit.step(state, clock.now(), *cost);
///                 assert_eq!(ModelAnswer::from(decision), *answer, "{} line {}", vector.name, step.line);
///                 next
///             }
///             Act::Refund { cost } => limit.law().refund(state, clock.now(), *cost),
///             Act::Replace { limit: next } => {
///                 let carried = next.law().adopt(limit.law(), state, clock.now());
///                 limit = next.clone();
///                 carried
///             }
///         };
///     }
/// }
/// # Ok::<(), golden::FormatError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Vector {
    /// The name of the file it is written in, without its ending.
    pub name: &'static str,
    /// Where both clocks stand at first.
    pub start: Timestamp,
    /// The limit at first.
    pub limit: Limit,
    /// What happens.
    pub steps: Vec<Step>,
}

impl Vector {
    pub(super) const fn new(name: &'static str, start: Timestamp, limit: Limit) -> Self {
        Self { name, start, limit, steps: Vec::new() }
    }
}

/// Something that happens after some time.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it is written, counted from one.
    pub line: usize,
    /// Time since the step before.
    pub elapsed: Micros,
    /// How far the time of day is then set, in microseconds.
    pub wall_step_micros: i64,
    /// What is done.
    pub act: Act,
}

impl Step {
    pub(super) const fn replace(line: usize, limit: Limit) -> Self {
        Self { line, elapsed: Micros::ZERO, wall_step_micros: 0, act: Act::Replace { limit } }
    }

    /// What the clocks say at this step, if they said `before` at the step before.
    pub fn now(&self, before: Now) -> Now {
        let wall = before.wall.saturating_add(self.elapsed).as_micros();
        Now {
            wall: Timestamp::from_micros(wall.saturating_add_signed(self.wall_step_micros)),
            steady: before.steady.saturating_add(self.elapsed),
        }
    }
}

/// What is done at a step.
#[derive(Clone, Debug)]
pub enum Act {
    /// A request, and what has to be answered.
    Charge {
        /// How much it weighs.
        cost: Cost,
        /// The answer.
        answer: ModelAnswer,
    },
    /// Some of what was admitted is given back.
    Refund {
        /// How much.
        cost: Cost,
    },
    /// Another limit is in force from now on (D14).
    Replace {
        /// Which.
        limit: Limit,
    },
}
